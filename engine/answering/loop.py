"""The child's side: answers each line of standard input by one of standard output, until there is none any more."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from engine.errors import BirikimError, RunError, reason_of

NICENESS = 10
"""A training on the same machine comes first."""


def answer_lines(answer: Callable[[dict[str, Any]], dict[str, Any]], *, idle: float | None = None) -> None:
    """Nothing but the answers reaches standard output. After `idle` seconds without a question the process ends."""
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    end = _Ending(idle)
    for line in sys.stdin:
        end.put_off()
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()
        end.begin()


def answered(answer: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any], unforeseen: str) -> Any:
    """The answer, or the fault that took its place: an error that is none of ours has the code `unforeseen`."""
    try:
        return {"state": "done", **answer(question)}
    except BirikimError as fault:
        return told_as_answer(fault)
    except Exception as problem:
        return told_as_answer(RunError(unforeseen, problem=f"{type(problem).__name__}: {reason_of(problem)}"))


def told_as_answer(fault: BirikimError) -> dict[str, Any]:
    """A fault in the place of an answer."""
    return {"state": "failed", **told(fault)}


def told(fault: BirikimError) -> dict[str, Any]:
    """A fault as JSON takes it."""
    return {
        "code": fault.code, "field": fault.field, "message": fault.message, "remedy": fault.remedy,
        "values": {key: str(value) if isinstance(value, os.PathLike) else value for key, value in fault.values.items()},
    }  # fmt: skip


class _Ending:
    """Ends the process where nothing is asked for so long."""

    def __init__(self, idle: float | None) -> None:
        self._idle = idle
        self._timer: threading.Timer | None = None
        self.begin()

    def begin(self) -> None:
        if self._idle is not None:
            self._timer = threading.Timer(self._idle, os._exit, (0,))
            self._timer.daemon = True
            self._timer.start()

    def put_off(self) -> None:
        if self._timer:
            self._timer.cancel()
