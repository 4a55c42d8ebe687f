"""A process that looks at data for another, so that no training and no page waits for a tokenizer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.answering.loop import answer_lines, answered
from engine.config import RunConfig
from engine.previews.preview import preview


def main() -> None:
    cache = Path(sys.argv[1])

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        return preview(RunConfig.from_dict(question["config"]), cache=cache)

    answer_lines(lambda question: answered(answer, question, "data.no-preview"))


if __name__ == "__main__":
    main()
