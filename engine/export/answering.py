"""A process that writes exports for another.

Making a run ready loads the training libraries and draws random numbers, which a training in the same process must not
meet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.answering.loop import answer_lines, answered
from engine.export import EXPORTS, packed
from engine.store import Store

IDLE = 60.0
"""Seconds without a question after which the process ends, and with it the libraries that it has loaded."""


def main() -> None:
    store = Store(Path(sys.argv[1]))

    def write(question: dict[str, Any]) -> dict[str, Any]:
        kind = question["kind"]
        if EXPORTS[kind].loads:
            import torch

            torch.set_num_threads(1)
        return {"path": str(packed(store, question["run"], kind, language=question["language"]))}

    try:
        answer_lines(lambda question: answered(write, question, "export.failed"), idle=IDLE)
    finally:
        store.close()


if __name__ == "__main__":
    main()
