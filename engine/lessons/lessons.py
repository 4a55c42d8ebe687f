"""Starts lessons in a session, and reads from its store how far they have come."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.checks import check
from engine.config import MemoryRequest, NoiseRequest, ProofRequest, RunConfig
from engine.errors import ConfigError, StoreError
from engine.events import ALIVE
from engine.lessons import (
    learning_rate,
    memory,
    not_faster,
    same_update,
    scaling_trap,
    stock_trainer,
    tail,
    targets,
    why,
)
from engine.lessons.found import found_by
from engine.lessons.lesson import Lesson, Part
from engine.store import LESSON, Run, Store

if TYPE_CHECKING:
    from engine.session import Session

_ROOMS = (why, same_update, scaling_trap, targets, not_faster, tail, learning_rate, memory, stock_trainer)

LESSONS: dict[str, Lesson] = {room.LESSON.name: room.LESSON for room in _ROOMS}


class Lessons:
    """The lessons over a store. Nothing of them is kept beside it: a lesson is the newest works of its names."""

    def __init__(self, session: Session, store: Store) -> None:
        self.session = session
        self.store = store

    def start(self, name: str) -> None:
        """Queues every part of a lesson, in order, as works named `lesson/NAME/PART`.

        Raises:
            ConfigError: there is no such lesson, or a part's model is not installed.
            StoreError: the lesson is under way, or the home folder can't be written.
        """
        lesson = _lesson(name)
        if any(run.state in ALIVE for run in self._runs(lesson).values()):
            raise StoreError("lesson.under-way", lesson=name)
        configs = [RunConfig.from_dict(part.config) for part in lesson.parts]
        for config in configs:
            check(config)
        for part, config in zip(lesson.parts, configs, strict=True):
            self._queue(part, config, work_name(name, part))

    def stop(self, name: str) -> None:
        """Stops the part under way as Stop does, and drops those that wait. A lesson that has ended stays as it is."""
        runs = list(self._runs(_lesson(name)).values())
        # the last one first, so that none of them begins meanwhile
        for run in sorted(runs, key=lambda run: -run.id):
            if run.state in ALIVE:
                with suppress(StoreError):  # it has ended meanwhile
                    self.session.command(run.id, "stop")

    def state(self, name: str) -> dict[str, Any]:
        """How far a lesson is, from the store alone, ready for JSON.

        A text that begins with `lesson.` is a code of `WORDS`; any other stands as it is. Of lesson `why`, done:

            {
              "lesson": "why",
              "state": "done",          # fresh | working | done | failed (a part failed, was stopped or broke off)
              "parts": [                # in order
                {
                  "name": "plans",      # in words: lesson.why.part.plans (and lesson.why.title)
                  "kind": "memory",     # what the session does: train | proof | memory | noise | count
                  "config": {"model": "minilm", …},  # what “open in Train” takes over
                  "run": 12,            # its id in the store, null before the first start
                  "state": "finished",  # fresh, or the run's: queued | loading | running | finished | failed | …
                  "activity": "",       # of the run: data | model | training | proving | measuring | …
                  "share": 1.0,         # how much of it is done, 0 to 1; null where nobody knows
                  "seconds": 14.2,      # from its beginning to its end, or null
                  "found": {"plans": [{"plan": [32, 1], "peak_bytes": 1507000000, "parts": {"weights": …}, …}], …}
                                        # or null; by kind, see engine.lessons.found
                }
              ],
              "figures": {
                "columns": [{"name": "lesson.column.plan", "unit": "plan"},
                            {"name": "lesson.column.activations", "unit": "bytes"}, …],
                "rows": [["32 × 1", 1081000000, 374000000, 1455000000], …]    # a number may be null
              },
              "chart": {
                "kind": "stacked",      # bars (side by side) | stacked | lines
                "x": {"name": "lesson.column.plan", "unit": "plan", "log": false},
                "y": {"name": "lesson.column.memory", "unit": "bytes", "log": false},
                "series": [{"name": "lesson.series.weights", "x": ["32 × 1", …], "y": [90900000, …]}, …]
              },
              "conclusion": [           # empty until every part is done
                {"name": "lesson.why.conclusion.activations",
                 "values": {"large": "32 × 1", "activations_large": 1081000000, …}}
              ],
              "fault": null             # of a lesson that failed: {"part", "code", "message", "remedy", "values"}
            }

        `figures` and `chart` grow while parts are done; before the first start they have columns and no rows, series
        and no points. A `unit` is one of `engine.lessons.lesson.Unit`. Numbers are raw: `told` puts a sentence
        of the conclusion into words, with its numbers as the language writes them.

        Raises:
            ConfigError: there is no such lesson.
        """
        lesson = _lesson(name)
        runs = self._runs(lesson)
        parts = [self._part(part, runs.get(part.name)) for part in lesson.parts]
        measured = {part["name"]: part["found"] for part in parts if part["found"]}
        state = _state(list(runs.values()), len(parts))
        return {
            "lesson": name,
            "state": state,
            "parts": parts,
            **lesson.picture(measured).to_dict(),
            "conclusion": [vars(sentence) for sentence in lesson.conclude(measured)] if state == "done" else [],
            "fault": _fault(runs) if state == "failed" else None,
        }

    def _queue(self, part: Part, config: RunConfig, name: str) -> None:
        match part.kind:
            case "train":
                self.session.submit(config, name)
            case "proof":
                self.session.prove(config, ProofRequest.from_dict(part.request), name)
            case "memory":
                self.session.measure(config, MemoryRequest.from_dict(part.request), name)
            case "noise":
                self.session.estimate(config, NoiseRequest.from_dict(part.request), name)
            case "count":
                self.session.count(config, name)

    def _runs(self, lesson: Lesson) -> dict[str, Run]:
        """The runs of the newest start, by part."""
        names = {work_name(lesson.name, part): part.name for part in lesson.parts}
        found = {names[run.name]: run for run in self.store.newest(list(names))}
        first = found.get(lesson.parts[0].name)
        return {name: run for name, run in found.items() if first and run.id >= first.id}

    def _part(self, part: Part, run: Run | None) -> dict[str, Any]:
        told: dict[str, Any] = {"name": part.name, "kind": part.kind, "config": dict(part.config)}
        if run is None:
            return {**told, "run": None, "state": "fresh", "activity": "", "share": 0.0, "seconds": None, "found": None}
        found = found_by(run, self.store)
        return {
            **told,
            "config": run.config,
            "run": run.id,
            "state": run.state,
            "activity": run.activity,
            "share": _share(run, found),
            "seconds": run.ended - run.started if run.ended and run.started else None,
            "found": found,
        }


def work_name(lesson: str, part: Part) -> str:
    """What the work of a part is called in the store."""
    return f"{LESSON}{lesson}/{part.name}"


def _lesson(name: str) -> Lesson:
    if name not in LESSONS:
        raise ConfigError("lesson.unknown", name=name, names=", ".join(LESSONS))
    return LESSONS[name]


def _state(runs: list[Run], parts: int) -> str:
    if not runs:
        return "fresh"
    if any(run.state in ALIVE for run in runs):
        return "working"
    return "done" if len(runs) == parts and all(run.state == "finished" for run in runs) else "failed"


def _fault(runs: dict[str, Run]) -> dict[str, Any] | None:
    for part, run in runs.items():
        if run.state != "finished":
            told = {name: getattr(run, name) for name in ("code", "message", "remedy", "values")}
            return {"part": part, **told}
    return None


def _share(run: Run, found: dict[str, Any] | None) -> float | None:
    if run.state not in ALIVE:
        return 1.0 if run.state == "finished" else None
    if run.plan and run.plan["updates_total"]:
        return float(run.update / run.plan["updates_total"])
    asked = (run.request or {}).get("plans")
    if run.kind == "memory" and asked and found:
        return len(found["plans"]) / len(asked)
    if run.kind == "noise" and found:
        return float(found["windows"] / found["of"])
    return 0.0 if run.state == "queued" else None
