"""A process that writes one export for another and says on standard output what became of it.

Making a run ready loads the training libraries and draws random numbers, which a training in the same process must not
meet.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.errors import BirikimError, RunError, reason_of
from engine.export import EXPORTS, Language, packed
from engine.store import Store

NICENESS = 10
"""A training on the same machine comes first."""


def written(store: Store, run: int, kind: str, language: Language) -> dict[str, Any]:
    """`{state: done, path}`, or the fault that took its place."""
    try:
        return {"state": "done", "path": str(packed(store, run, kind, language=language))}
    except BirikimError as fault:
        return failed(fault)
    except Exception as problem:
        return failed(RunError("export.failed", problem=f"{type(problem).__name__}: {reason_of(problem)}"))


def failed(fault: BirikimError) -> dict[str, Any]:
    values = {name: value if isinstance(value, int | float) else str(value) for name, value in fault.values.items()}
    return {
        "state": "failed", "code": fault.code, "message": fault.message, "remedy": fault.remedy, "values": values
    }  # fmt: skip


def main() -> None:
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    home, run, kind = sys.argv[1:4]
    language: Language = "tr" if sys.argv[4] == "tr" else "en"
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # what a library prints is no answer
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if EXPORTS[kind].loads:
        import torch

        torch.set_num_threads(1)
    store = Store(Path(home))
    try:
        answer = written(store, int(run), kind, language)
    finally:
        store.close()
    output.write(json.dumps(answer) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
