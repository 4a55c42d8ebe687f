"""JSON: a list of objects, or JSON Lines, one object a line; told apart by the first character."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from engine.datasets.files.decoding import CHUNK, MOST_CHARACTERS, TextFile
from engine.errors import ConfigError

# Rows whose keys are looked at to learn the columns: some writers leave empty keys out.
SAMPLE = 20

_SPACE = re.compile(r"[ \t\r\n]*")


def columns(file: TextFile) -> list[str]:
    """The keys of the first rows, in the order of their appearance."""
    names = {key: None for _, row in islice(_objects(file), SAMPLE) for key in row}
    if not names:
        raise ConfigError("data.empty-file", field="data.path", path=str(file.path))
    return list(names)


def records(file: TextFile, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of keys `names`, row by row; a missing key is None."""
    for place, row in _objects(file):
        yield place, [row.get(name) for name in names]


TOO_DEEP = "too many brackets inside each other"


def _objects(file: TextFile) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = _listed(file) if file.beginning().lstrip().startswith("[") else _lines(file)
    for place, row in rows:
        if not isinstance(row, dict):
            raise ConfigError("data.not-an-object", field="data.path", path=str(file.path), place=place)
        yield place, row


def _lines(file: TextFile) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(file.lines(), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except json.JSONDecodeError as error:
                raise _broken(file, number, error.msg) from None
            except RecursionError:
                raise _broken(file, number, TOO_DEEP) from None


def _listed(file: TextFile) -> Iterator[tuple[str, Any]]:
    """The elements of a list one by one, so that no more of it is held than a piece."""
    with file.opened("") as source:
        part = _Part(file, source)
        part.skip("[")
        if part.next() == "]":
            return
        for number in count(1):
            line = part.line
            yield f"row {number} (line {line})", part.value()
            if part.next() == "]":
                return
            if part.next() != ",":
                raise _broken(file, part.line, "a comma or ] is missing")
            part.skip(",")


class _Part:
    """A stretch of the text, from where the next element begins; it grows where an element goes on."""

    def __init__(self, file: TextFile, source: Any) -> None:
        self.file = file
        self.source = source
        self.text: str = source.read(CHUNK)
        self.at = 0
        self.line = 1
        self.whole = False
        self._decode = json.JSONDecoder().raw_decode

    def next(self) -> str:
        """The next character that is no space, empty at the end; it is where the part now stands."""
        while True:
            found = _SPACE.match(self.text, self.at)
            self._move(found.end() if found else self.at)
            if self.at < len(self.text) or not self._grow():
                return self.text[self.at : self.at + 1]

    def skip(self, character: str) -> None:
        self.next()
        self._move(self.at + len(character))
        self.next()

    def value(self) -> Any:
        """The element that begins here. Raises ConfigError with its line where there is none."""
        while True:
            try:
                value, end = self._decode(self.text, self.at)
            except json.JSONDecodeError as error:
                # what is cut off breaks at its end; what breaks long before it is broken
                cut = error.msg.startswith("Unterminated") or error.pos > len(self.text) - 64
                if cut and self._grow():
                    continue
                line = self.line + self.text.count("\n", self.at, error.pos)
                raise _broken(self.file, line, error.msg) from None
            except RecursionError:
                raise _broken(self.file, self.line, TOO_DEEP) from None
            self._move(end)
            return value

    def _move(self, place: int) -> None:
        self.line += self.text.count("\n", self.at, place)
        self.at = place

    def _grow(self) -> bool:
        """More of the text; as much again as is held, so that a long element is not begun too often."""
        more = "" if self.whole else self.source.read(max(CHUNK, len(self.text) - self.at))
        self.whole = not more
        self.text, self.at = self.text[self.at :] + more, 0
        if len(self.text) > 2 * MOST_CHARACTERS:
            raise self.file.too_long(self.line)
        return bool(more)


def _broken(file: TextFile, line: int, reason: str) -> ConfigError:
    return ConfigError("data.broken-row", field="data.path", path=str(file.path), line=line, reason=reason)
