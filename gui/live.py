"""What the live page asks the program for: news of a run, the list of runs, and a command to a run."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from fastapi import Response

from engine import ASIDE, COMMANDS, Run, Session, Store, StoreError
from gui.answers import Asked, ServerFunction, answer
from gui.frames import frame_of

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
        """Queued runs, the next one first; those of a class wait elsewhere."""
        return [run for run in reversed(self.runs()) if run.state == "queued" and not run.name.startswith(ASIDE)]


def _deltas(store: Store, listing: _Listing, asked: Asked) -> dict[str, Any]:
    current = store.current_run()
    wanted = asked.number("run")
    run = current.id if wanted is None and current else wanted
    queue = [_summary(waiting) for waiting in listing.waiting() if waiting.id != run]
    return {**frame_of(store, run, asked.text("cursor")), "current": current.id if current else None, "queue": queue}


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
