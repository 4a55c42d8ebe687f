"""JSON: a list of objects, or JSON Lines, one object a line; told apart by the first character."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from engine.datasets.files.decoding import beginning, whole
from engine.errors import ConfigError

# Rows whose keys are looked at to learn the columns: some writers leave empty keys out.
SAMPLE = 20

_SPACE = re.compile(r"[ \t\r\n]*")


def columns(path: Path) -> list[str]:
    """The keys of the first rows, in the order of their appearance."""
    names: dict[str, None] = {}
    try:
        for _, row in islice(_objects(path, beginning(path)), SAMPLE):
            names.update(dict.fromkeys(row))
    except ConfigError:
        # A glance cuts a row in two; what stands before the cut is enough, if there is something.
        if not names:
            names.update(dict.fromkeys(key for _, row in islice(_objects(path, whole(path)), SAMPLE) for key in row))
    if not names:
        raise ConfigError("data.empty-file", field="data.path", path=str(path))
    return list(names)


def records(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of keys `names`, row by row; a missing key is None."""
    for place, row in _objects(path, whole(path)):
        yield place, [row.get(name) for name in names]


TOO_DEEP = "too many brackets inside each other"


def _objects(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = _listed(path, text) if text.lstrip().startswith("[") else _lines(path, text)
    for place, row in rows:
        if not isinstance(row, dict):
            raise ConfigError("data.not-an-object", field="data.path", path=str(path), place=place)
        yield place, row


def _lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except json.JSONDecodeError as error:
                raise _broken(path, number, error.msg) from None
            except RecursionError:
                raise _broken(path, number, TOO_DEEP) from None


def _listed(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The elements of a list one by one, so that a glance need not hold the whole list."""
    decode = json.JSONDecoder().raw_decode
    position = text.index("[") + 1
    number = 0
    while True:
        position = _after_space(text, position)
        if number == 0 and text[position : position + 1] == "]":
            return
        try:
            row, position = decode(text, position)
        except json.JSONDecodeError as error:
            raise _broken(path, error.lineno, error.msg) from None
        except RecursionError:
            raise _broken(path, text[:position].count("\n") + 1, TOO_DEEP) from None
        number += 1
        yield f"row {number}", row
        position = _after_space(text, position)
        if text[position : position + 1] == "]":
            return
        if text[position : position + 1] != ",":
            raise _broken(path, text[:position].count("\n") + 1, "a comma or ] is missing")
        position += 1


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _broken(path: Path, line: int, reason: str) -> ConfigError:
    return ConfigError("data.broken-row", field="data.path", path=str(path), line=line, reason=reason)
