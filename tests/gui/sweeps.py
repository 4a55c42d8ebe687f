"""Sweeps that are made up: each look at one takes it a trial further, and its runs are empty ones in the store."""

from __future__ import annotations

import math
from typing import Any

from engine import RunConfig, StoreError, SweepSpec
from engine.config.sweep import Range
from engine.events import StateChanged
from engine.store import Store
from engine.sweep.checking import check_space
from engine.sweep.presets import presets
from engine.sweep.space import Space
from tests.engine.store_runs import update

State = dict[str, Any]
RATE, MICRO = "training.learning_rate", "training.per_device_train_batch_size"
TOO_LARGE = 32
"""Rows of a micro-batch that do not fit here."""
TOO_HIGH = 1.0
"""A learning rate at which the loss is no number."""

UNPREDICTED = 4
"""Rows of a micro-batch whose memory can't be predicted."""


class FakeSweeps:
    """As `engine.Sweeps`, to a page."""

    def __init__(self, session: Any, store: Store) -> None:
        self.store = store
        self._studies: dict[str, State] = {}
        self.asked: list[str] = []

    def presets(self, config: RunConfig) -> dict[str, State]:
        return presets(config)

    def plan(self, config: RunConfig, spec: SweepSpec) -> State:
        space = Space(config, spec)
        check_space(space)
        trials = space.plans() if spec.method == "grid" else []
        return {"planned": space.planned, "left_out": space.left_out, "metric": "eval_loss", "trials": trials}

    def settings(self, study: str, trial: int) -> RunConfig:
        state = self._known(study)
        space = _space(state)
        return space.config_of(state["trials"][trial]["values"])

    def close(self) -> None:
        """There is nothing to leave."""

    def start(self, config: RunConfig, spec: SweepSpec, name: str = "") -> str:
        self.asked.append("start")
        study = name or f"sweep-{len(self._studies) + 1}"
        self._studies[study] = self._fresh(study, config, spec)
        return study

    def stop(self, study: str) -> None:
        self.asked.append(f"stop {study}")
        self._known(study)["state"] = "stopped"

    def go_on(self, study: str) -> None:
        self.asked.append(f"go on {study}")
        self._known(study)["state"] = "working"

    def studies(self) -> list[State]:
        return [{"study": name, "state": state["state"]} for name, state in reversed(self._studies.items())]

    def state(self, study: str) -> State:
        state = self._known(study)
        if state["state"] == "working":
            self._go(state)
        return state

    def _known(self, study: str) -> State:
        if study not in self._studies:
            raise StoreError("sweep.unknown", study=study)
        return self._studies[study]

    def _fresh(self, study: str, config: RunConfig, spec: SweepSpec) -> State:
        space = Space(config, spec)
        points = space.points if spec.method == "grid" else _drawn(space)
        none = {"state": "waiting", "run": None, "value": None, "code": "", "message": "", "remedy": "", "reasons": {}}
        none |= {"updates": 0, "seconds": 0.0}
        figures = {"peak_bytes": None, "predicted_bytes": None, "unpredicted": None, "targets_per_second": None}
        return {
            "study": study, "state": "working", "fault": None, "method": spec.method, "fields": space.to_dict(),
            "effective_batch": spec.effective_batch, "learning_rate_scaling": spec.learning_rate_scaling,
            "spec": spec.to_dict(), "config": config.to_dict(), "metric": "eval_loss",
            "planned": len(points), "done": 0, "seconds": 0.0, "eta": None,
            "trials": [{"trial": place, "values": values, **none, **figures} for place, values in enumerate(points)],
            "best": None, "importance": None, "left_out": space.left_out, "unlike": [],
            "noise": {"state": "waiting"} if spec.noise else None,
        }  # fmt: skip

    def _go(self, state: State) -> None:
        """The trial under way ends, and the next one begins."""
        running = next((each for each in state["trials"] if each["state"] == "running"), None)
        if running:
            self._end(state, running)
        following = next((each for each in state["trials"] if each["state"] == "waiting"), None)
        if following:
            following["state"] = "running"
            config = _space(state).config_of(following["values"])
            following["run"] = self.store.create_run(
                config.to_dict(), name=f"sweep/{state['study']}/{following['trial']:04d}"
            )
            self.store.write(StateChanged(run=following["run"], state="running", activity="training"))
        else:
            state["state"] = "done"
        self.store.flush()
        gone = [each for each in state["trials"] if each["state"] not in ("waiting", "running")]
        state["done"] = len(gone)
        state["seconds"] = sum(each["seconds"] for each in gone)
        state["eta"] = state["seconds"] / len(gone) * (state["planned"] - len(gone)) if following and gone else None
        finished = [each for each in gone if each["state"] == "finished"]
        if finished:
            best = min(finished, key=lambda each: each["value"])
            state["best"] = {name: best[name] for name in ("trial", "values", "value")}
        varied = [key for key, space in state["fields"].items() if len(space.get("values", (1, 2))) > 1]
        if len(finished) >= 4 and len(varied) > 1:
            shares = [2.0**-place for place in range(len(varied))]
            state["importance"] = {key: share / sum(shares) for key, share in zip(varied, shares, strict=True)}
        if state["noise"] is not None:
            state["noise"] = {"state": "done", "windows": 8, "scale": 41.3, "low": 29.0, "high": 60.2}

    def _end(self, state: State, trial: State) -> None:
        values, run = trial["values"], trial["run"]
        rows = values.get(MICRO, 8)
        if rows >= TOO_LARGE:
            self._fail(trial, "run.out-of-memory", "It does not fit.", {"phase": "forward"})
            return
        if values.get(RATE, 0) >= TOO_HIGH:
            self._fail(trial, "run.not-finite", "The loss is not a number.", {"update": 3})
            return
        loss = loss_of(values)
        worse = [each["value"] for each in state["trials"] if each["state"] == "finished"]
        pruned = state["spec"]["prune"] and len(worse) > 3 and loss > sorted(worse)[len(worse) // 2]
        self.store.write(update(run, 40, loss=loss))
        self.store.write(StateChanged(run=run, state="finished", code="run.finished"))
        trial.update(
            state="pruned" if pruned else "finished", value=loss, updates=14 if pruned else 40,
            seconds=7.0 if pruned else 20.0, peak_bytes=int((80 + 21.5 * rows) * 2**20),
            predicted_bytes=int((30 + 20 * rows) * 2**20),
            targets_per_second=900 * rows / (rows + 2),
        )  # fmt: skip
        if rows == UNPREDICTED:
            trial["predicted_bytes"] = None
            values = {"architecture": "Odd", "reason": "no shapes"}
            trial["unpredicted"] = {"code": "memory.cannot-predict", "message": "", "remedy": "", "values": values}

    def _fail(self, trial: State, code: str, message: str, reasons: State) -> None:
        trial.update(state="failed", code=code, message=message, reasons=reasons, seconds=1.0)
        self.store.write(StateChanged(run=trial["run"], state="failed", code=code, values=reasons))


def loss_of(values: State) -> float:
    """Lowest at a learning rate of 3e-4, better with smaller effective batches, and blind to the plan."""
    rate = values.get(RATE, 3e-4)
    off = math.log10(rate / 3e-4)
    rise = 3.0 if off > 1.4 else 0.0
    return round(0.52 + 0.16 * off * off + rise + 0.002 * abs(values.get("effective_batch", 24) - 24), 4)


def _space(state: State) -> Space:
    return Space(RunConfig.from_dict(state["config"]), SweepSpec.from_dict(state["spec"]))


def _drawn(space: Space) -> list[State]:
    """Values from one end of each range to the other, unlike from field to field."""
    points: list[State] = []
    for place in range(space.planned):
        values = {}
        for turn, (key, given) in enumerate(space.fields.items()):
            share = (place * (turn + 1) * 0.618) % 1
            values[key] = _within(given, share) if isinstance(given, Range) else given[int(share * len(given))]
        points.append(values)
    return points


def _within(given: Range, share: float) -> int | float:
    value = given.low * (given.high / given.low) ** share if given.log else given.low + (given.high - given.low) * share
    return round(value) if given.integer else float(f"{value:.3g}")
