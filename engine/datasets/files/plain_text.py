"""Plain text: one row a paragraph, or one row a line where no empty line parts paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.datasets.files.decoding import beginning, whole

_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def columns(path: Path) -> None:
    """None: the rows of a text file are text and nothing else."""
    beginning(path)


def records(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The paragraphs, else the lines; `names` asks for the text alone."""
    text = whole(path).replace("\r\n", "\n").strip()
    rows = _GAP.split(text) if _GAP.search(text) else text.split("\n")
    for number, row in enumerate(rows, 1):
        yield f"row {number}", [row] * len(names)
