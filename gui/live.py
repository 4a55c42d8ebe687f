"""What the live page asks the program for: news of a run and of the queue, and a command to a run."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from fastapi import Response

from engine import COMMANDS, Run, Session, Store, StoreError
from gui.answers import Asked, ServerFunction, answer
from gui.frames import frame_of

QUEUE_AGE = 0.5
"""Seconds that one reading of the queue serves every viewer."""
SUMMARY = ("id", "name", "state", "config", "plan", "update")


def server_functions(session: Session, store: Store) -> list[ServerFunction]:
    """The functions of the live view: `deltas`, `command`, `resume_run`."""
    queue = _Queue(store)

    def deltas(request: Any) -> Response:
        """`{run, cursor}` → what `Store.read` gives of that run, or of the current one where `run` is null."""
        return answer(lambda: _deltas(store, queue, Asked(request)))

    def resume_run(request: Any) -> Response:
        """`{run}` → `{}`, or `{fault}`: a run that has ended goes on from its last checkpoint."""
        return answer(lambda: _resume(session, Asked(request)))

    return [deltas, command_function(session), resume_run]


def command_function(session: Session) -> ServerFunction:
    def command(request: Any) -> Response:
        """`{run, command}` → `{}`, or `{fault}`."""
        return answer(lambda: _command(session, Asked(request)))

    return command


class _Queue:
    """The runs that wait, read at most twice a second however many pages ask."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._runs: list[Run] = []
        self._read = -math.inf

    def waiting(self) -> list[Run]:
        """The next one first."""
        with self._lock:
            if time.monotonic() - self._read > QUEUE_AGE:
                self._runs = self._store.waiting()
                self._read = time.monotonic()
            return self._runs


def _deltas(store: Store, waits: _Queue, asked: Asked) -> dict[str, Any]:
    current = store.current_run()
    wanted = asked.number("run")
    run = current.id if wanted is None and current else wanted
    queue = [_summary(waiting) for waiting in waits.waiting() if waiting.id != run]
    return {**frame_of(store, run, asked.text("cursor")), "current": current.id if current else None, "queue": queue}


def _command(session: Session, asked: Asked) -> dict[str, Any]:
    name = asked.text("command")
    command = next((known for known in COMMANDS if known == name), None)
    if command is None:
        raise StoreError("session.no-command", command=name, commands=", ".join(COMMANDS))
    session.command(asked.run(), command)
    return {}


def _resume(session: Session, asked: Asked) -> dict[str, Any]:
    session.resume(asked.run())
    return {}


def _summary(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in SUMMARY}
