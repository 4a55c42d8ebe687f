"""What the live page asks the program for: news of a run, the list of runs, and a command to a run."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import orjson
from fastapi import Response

from engine import ALIVE, COMMANDS, BirikimError, Run, RunConfig, Session, Store, StoreError, checkpoints
from gui.answers import Asked, ServerFunction, answer
from gui.faults import fault_of, words_of
from gui.turns import waits_for

POINTS = 4000
MOST_RUNS = 5000
LIST_AGE = 0.5
"""Seconds that one reading of the list of runs serves every viewer."""
SUMMARY = ("id", "name", "state", "config", "plan", "update", "loss", "eval_loss", "eval_metrics", "created", "started")


def server_functions(session: Session, store: Store) -> tuple[list[ServerFunction], list[ServerFunction]]:
    """The functions of the live view (`deltas`, `command`, `resume_run`) and of the list (`runs`)."""
    listing = _Listing(store)

    def deltas(request: Any) -> Response:
        """`{run, cursor}` → what `Store.read` gives of that run, or of the current one where `run` is null."""
        return answer(lambda: _deltas(store, listing, Asked(request)))

    def runs(request: Any) -> Response:
        """`{most}` → `{runs, more}`, newest first, of each what the list shows."""
        return answer(lambda: _runs(listing, Asked(request)))

    def resume_run(request: Any) -> Response:
        """`{run}` → `{}`, or `{fault}`: a run that has ended goes on from its last checkpoint."""
        return answer(lambda: _resume(session, Asked(request)))

    return [deltas, command_function(session), resume_run], [runs]


def command_function(session: Session) -> ServerFunction:
    def command(request: Any) -> Response:
        """`{run, command}` → `{}`, or `{fault}`."""
        return answer(lambda: _command(session, Asked(request)))

    return command


class _Listing:
    """The list of runs, read at most twice a second however many pages ask."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._runs: list[Run] = []
        self._read = -math.inf

    def runs(self) -> list[Run]:
        with self._lock:
            if time.monotonic() - self._read > LIST_AGE:
                self._runs = self._store.runs()
                self._read = time.monotonic()
            return self._runs

    def waiting(self) -> list[Run]:
        """Queued runs, the next one first."""
        return [run for run in reversed(self.runs()) if run.state == "queued"]


def _deltas(store: Store, listing: _Listing, asked: Asked) -> dict[str, Any]:
    current = store.current_run()
    wanted = asked.number("run")
    fault = None
    run = current.id if wanted is None and current else wanted
    news: dict[str, Any] | None = None
    if run is not None:
        try:
            news = store.read(run, asked.text("cursor"), POINTS)
        except BirikimError as error:
            fault = fault_of(error)
    frame = {
        "fault": fault,
        "current": current.id if current else None,
        "queue": [_summary(waiting) for waiting in listing.waiting() if waiting.id != run],
    }
    if news is not None and news["run"]["kind"] != "train":
        news, fault = None, fault_of(StoreError("store.no-run", run=run))
    if news is None:
        return {**frame, "fault": fault, "run": None}
    found = news["run"]
    found["waits_for"] = waits_for(store, found["state"], found["owned"])
    found["checkpoint"] = _last_checkpoint(store, found)
    if found["code"] and not found["message"]:
        found["message"], found["remedy"] = words_of(found["code"], found["values"])
    return {**frame, **news, "yaml": _yaml(found["config"]) if news["reset"] else None}


def _last_checkpoint(store: Store, run: dict[str, Any]) -> int | None:
    """The update after which the last whole checkpoint was written; what has ended may have lost some since."""
    if run["state"] in ALIVE:
        return max((run["facts"] or {}).get("checkpoints", ()), default=None)
    return max((each.update for each in checkpoints(store.home, run["id"]) if each.whole), default=None)


def _yaml(config: dict[str, Any]) -> str:
    try:
        return RunConfig.from_dict(config).to_yaml()
    except BirikimError:
        # written by another version, whose settings this one does not know
        return orjson.dumps(config, option=orjson.OPT_INDENT_2).decode()


def _command(session: Session, asked: Asked) -> dict[str, Any]:
    run, name = asked.number("run"), asked.text("command")
    command = next((known for known in COMMANDS if known == name), None)
    if run is None or command is None:
        raise StoreError("session.no-command", command=name, commands=", ".join(COMMANDS))
    session.command(run, command)
    return {}


def _resume(session: Session, asked: Asked) -> dict[str, Any]:
    run = asked.number("run")
    if run is None:
        raise StoreError("store.no-run", run=run)
    session.resume(run)
    return {}


def _runs(listing: _Listing, asked: Asked) -> dict[str, Any]:
    most = min(asked.number("most") or 50, MOST_RUNS)
    runs = listing.runs()
    return {"runs": [_summary(run) for run in runs[:most]], "more": len(runs) > most}


def _summary(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in SUMMARY}
