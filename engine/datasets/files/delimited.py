"""CSV and TSV, the first row naming the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.datasets.files.decoding import beginning, whole
from engine.errors import ConfigError

# The csv module's own limit is 131072 characters, less than a long document.
csv.field_size_limit(2**31 - 1)


END = "\x00end of file\x00"
"""A last line of ours: a quote that is never closed swallows it."""


def columns(path: Path) -> list[str]:
    """The names in the first row."""
    return _header(path, beginning(path))


def records(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of columns `names`, row by row; a value that a short row lacks is None.

    Raises ConfigError `data.long-row` for a row of more values than columns, where a comma in the text
    would otherwise cut it short unseen.
    """
    text = whole(path)
    header = _header(path, text)
    places = [header.index(name) for name in names]
    reader = csv.reader(io.StringIO(f"{text}\n{END}", newline=""), delimiter=_delimiter(path, text))
    began = False
    line = 1
    try:
        for values in reader:
            start, line = line, reader.line_num + 1
            if values and END in values[-1]:
                if values != [END]:
                    raise ConfigError("data.open-quote", field="data.path", path=str(path), line=start)
                return
            if not began:
                began = any(values)
                continue
            if not values:
                continue
            if any(values[len(header) :]):
                raise ConfigError(
                    "data.long-row",
                    field="data.path", path=str(path), line=start, found=len(values), columns=len(header),
                )  # fmt: skip
            yield f"line {start}", [values[place] if place < len(values) else None for place in places]
    except csv.Error as error:
        raise ConfigError("data.broken-row", field="data.path", path=str(path), line=line, reason=str(error)) from None


def _header(path: Path, text: str) -> list[str]:
    try:
        for values in csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path, text)):
            if any(values):
                return [value.strip() for value in values]
    except csv.Error as error:
        raise ConfigError("data.broken-row", field="data.path", path=str(path), line=1, reason=str(error)) from None
    raise ConfigError("data.empty-file", field="data.path", path=str(path))


def _delimiter(path: Path, text: str) -> str:
    """A tab for TSV; for CSV what the header uses most: many spreadsheets write semicolons."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    header = text.lstrip().partition("\n")[0]
    return max(",;\t", key=header.count)
