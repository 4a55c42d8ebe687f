"""CSV and TSV, the first row naming the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from engine.datasets.files.decoding import MOST_CHARACTERS, TextFile
from engine.errors import ConfigError

# The csv module's own limit is 131072 characters, less than a long document.
csv.field_size_limit(MOST_CHARACTERS)


END = "\x00end of file\x00"
"""A last line of ours: a quote that is never closed swallows it."""


def columns(file: TextFile) -> list[str]:
    """The names in the first row."""
    return _header(file, file.beginning())


def records(file: TextFile, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of columns `names`, row by row; a value that a short row lacks is None.

    Raises ConfigError `data.long-row` for a row of more values than columns, where a comma in the text
    would otherwise cut it short unseen.
    """
    path = str(file.path)
    beginning = file.beginning()
    header = _header(file, beginning)
    places = [header.index(name) for name in names]
    reader = csv.reader(chain(file.lines(newline=""), [END]), delimiter=_delimiter(file, beginning))
    began = False
    line = 1
    try:
        for values in reader:
            start, line = line, reader.line_num + 1
            if values and END in values[-1]:
                if values != [END]:
                    raise ConfigError("data.open-quote", field="data.path", path=path, line=start)
                return
            if not began:
                began = any(values)
                continue
            if not values:
                continue
            if any(values[len(header) :]):
                raise ConfigError(
                    "data.long-row", field="data.path", path=path, line=start, found=len(values), columns=len(header)
                )
            yield f"line {start}", [values[place] if place < len(values) else None for place in places]
    except csv.Error as error:
        if "field limit" in str(error):  # what swallows so much is a quote
            raise ConfigError("data.open-quote", field="data.path", path=path, line=line) from None
        raise ConfigError("data.broken-row", field="data.path", path=path, line=line, reason=str(error)) from None


def _header(file: TextFile, text: str) -> list[str]:
    path = str(file.path)
    try:
        for values in csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(file, text)):
            if any(values):
                return _named([value.strip() for value in values], path)
    except csv.Error as error:
        raise ConfigError("data.broken-row", field="data.path", path=path, line=1, reason=str(error)) from None
    raise ConfigError("data.empty-file", field="data.path", path=path)


def _named(names: list[str], path: str) -> list[str]:
    """Raises ConfigError where two columns have one name: which of them is meant can't be told."""
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise ConfigError("data.column-twice", field="data.path", path=path, name=twice)
    return names


def _delimiter(file: TextFile, text: str) -> str:
    """A tab for TSV; for CSV what the header uses most: many spreadsheets write semicolons."""
    if file.path.suffix.lower() == ".tsv":
        return "\t"
    header = text.lstrip().partition("\n")[0]
    return max(",;\t", key=header.count)
