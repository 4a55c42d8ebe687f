"""What the values of a table's columns become: texts, words, classes, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import ConfigError

MOST_CLASSES = 100
"""More classes than this need two rows each, on average: otherwise the column is no class but a number or a text."""

FAR_TOO_MANY = 100_000
"""Names, whatever the rows: no head has so many classes."""


@dataclass(frozen=True)
class Cell:
    """A value and where it stands: the row's place and the file's or data set's name, for messages."""

    value: Any
    place: str
    source: str

    def wrong(self, code: str, field: str, **values: Any) -> ConfigError:
        return ConfigError(code, field=field, place=self.place, source=self.source, **values)

    def with_value(self, value: Any) -> Cell:
        return Cell(value, self.place, self.source)


def is_missing(value: Any) -> bool:
    """None, not a number, or blank."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def is_empty(value: Any) -> bool:
    """Missing, or a list of nothing else."""
    return all(map(is_missing, value)) if isinstance(value, list) else is_missing(value)


def as_text(cell: Cell, field: str = "data.text", *, strip: bool = True) -> str:
    """The text of a row. Raises ConfigError about `field` for what is neither a text nor a number."""
    if not isinstance(cell.value, str | int | float):
        raise cell.wrong("data.not-text", field, kind=type(cell.value).__name__)
    text = str(cell.value)
    return whole_characters(text.strip() if strip else text)


def whole_characters(text: str) -> str:
    """JSON can escape half a character; what is left of it is no text for a tokenizer."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_class(cell: Cell) -> str:
    """The name of a row's class; 2.0 and 2 are one class."""
    value = cell.value
    if is_missing(value):
        raise cell.wrong("data.no-label", "data.label")
    if not isinstance(value, str | int | float):
        raise cell.wrong("data.not-a-class", "data.label", kind=type(value).__name__)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return whole_characters(str(value).strip())


def as_number(cell: Cell) -> float:
    """A finite number, also from its digits. Raises ConfigError for anything else."""
    value = cell.value
    if value is None or (isinstance(value, str) and not value.strip()):
        raise cell.wrong("data.no-label", "data.label")
    number = float_of(value)
    if number is None or not math.isfinite(number):
        raise cell.wrong("data.not-a-number", "data.label", value=value)
    return number


def float_of(value: Any) -> float | None:
    """None where the value is no number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def distinct(names: Iterable[str], rows: Sequence[Cell]) -> set[str]:
    """The names, each once. Raises ConfigError where they are so many that they are no classes, unread to the end."""
    found: set[str] = set()
    for name in names:
        found.add(name)
        if len(found) > FAR_TOO_MANY:
            raise ConfigError(
                "data.too-many-classes",
                field="data.label", classes=len(found), rows=len(rows), source=rows[0].source,
            )  # fmt: skip
    return found


def sorted_classes(names: set[str], rows: int, source: str) -> tuple[str, ...]:
    """The classes by their number where all are numbers, else by name.

    Raises ConfigError for a lone class, and for a column that is no class.
    """
    if len(names) < 2:
        raise ConfigError("data.one-class", field="data.label", name=min(names), source=source)
    if len(names) > MOST_CLASSES and 2 * len(names) > rows:
        raise ConfigError("data.too-many-classes", field="data.label", classes=len(names), rows=rows, source=source)
    try:
        return tuple(sorted(names, key=lambda name: (float(name), name)))
    except ValueError:
        return tuple(sorted(names))
