"""A failure in plain words: what happened, and what to do about it."""

from __future__ import annotations

import errno
import traceback

from engine.errors import BirikimError, ConfigError, RunError, reason_of
from engine.events import StateChanged
from engine.memory.exhausted import OutOfMemory, is_out_of_memory


def failed(run: int, problem: BaseException) -> StateChanged:
    """The closing event of a run that `problem` ended. Keeps its text only, never the exception."""
    told = told_of(problem)
    values = {**told.values, **({"exit": 2} if isinstance(told, ConfigError) else {})}
    return StateChanged(
        run=run,
        state="failed",
        code=told.code,
        message=" ".join(told.message.split()),
        remedy=" ".join(told.remedy.split()),
        values={name: value if isinstance(value, int | float | None) else str(value) for name, value in values.items()},
    )


def told_here(problem: BaseException) -> BirikimError:
    """As `told_of`, for a command without a run: of what nobody foresaw with the place in the code."""
    told = told_of(problem)
    if told.code != "run.unexpected":
        return told
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return RunError("command.unexpected", **told.values, place=f"{last.filename}:{last.lineno}")


def told_of(problem: BaseException) -> BirikimError:
    """What any exception comes to in our words."""
    if isinstance(problem, BirikimError):
        return problem
    text = " ".join(str(problem).split())
    if is_out_of_memory(problem):
        return OutOfMemory(problem)
    if type(problem).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return RunError("run.compile", problem=reason_of(problem)[:300])
    if isinstance(problem, OSError):
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return RunError("store.disk-full")
        if isinstance(problem, FileNotFoundError):
            return RunError("run.file-missing", path=problem.filename or text)
    return RunError("run.unexpected", kind=type(problem).__name__, problem=text[:300] or "no further word")
