"""Plain text: one row a paragraph, or one row a line where no empty line parts paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.datasets.files.decoding import MOST_CHARACTERS, TextFile


def columns(file: TextFile) -> None:
    """None: the rows of a text file are text and nothing else."""
    file.beginning()


def records(file: TextFile, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The paragraphs, else the lines; `names` asks for the text alone."""
    if not _has_paragraphs(file):
        for number, line in enumerate(file.lines(), 1):
            if line.strip():
                yield f"line {number}", [line.rstrip("\r\n")] * len(names)
        return
    paragraph: list[str] = []
    first = size = 0
    for number, line in enumerate(file.lines(), 1):
        if line.strip():
            first = first if paragraph else number
            paragraph.append(line.replace("\r\n", "\n"))
            size += len(line)
            if size > MOST_CHARACTERS:
                raise file.too_long(first)
        elif paragraph:
            yield f"line {first}", ["".join(paragraph).rstrip("\n")] * len(names)
            paragraph, size = [], 0
    if paragraph:
        yield f"line {first}", ["".join(paragraph).rstrip("\n")] * len(names)


def whole(file: TextFile) -> str:
    """All of it as one row."""
    text = "".join(file.lines()).replace("\r\n", "\n")
    if len(text) > MOST_CHARACTERS:
        raise file.too_long(1)
    return text


def _has_paragraphs(file: TextFile) -> bool:
    """Whether an empty line stands between two that are not."""
    begun = gap = False
    for line in file.lines():
        empty = not line.strip()
        if gap and not empty:
            return True
        begun = begun or not empty
        gap = begun and empty
    return False
