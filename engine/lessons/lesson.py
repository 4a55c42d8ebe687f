"""What a lesson is: works that the session does, and what is said of what they found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from engine.events import Kind

Unit = Literal["text", "plan", "count", "number", "bytes", "error", "ratio", "share", "seconds", "rate"]
"""How a number is meant: `error` is relative (3e-7, 12 %), `share` a part of one, `ratio` times, `rate` a learning
rate. A `plan` is text such as “8 × 4”."""

ChartKind = Literal["bars", "stacked", "lines"]

Measured = Mapping[str, Mapping[str, Any]]
"""What each part has found so far, by its name; a part that has found nothing yet is not there."""


@dataclass(frozen=True)
class Part:
    """One work of the background thread: a run, a proof, a measurement, a count, or an estimate of the noise."""

    name: str
    kind: Kind
    config: Mapping[str, Any]
    request: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Quantity:
    """A column or an axis: its name, a code of the lessons' words, and what its numbers are."""

    name: str
    unit: Unit = "count"
    log: bool = False


@dataclass(frozen=True)
class Series:
    """One line or one set of bars. A `name` that begins with “lesson.” is a code; any other stands as it is."""

    name: str
    x: list[Any]
    y: list[float | None]


@dataclass(frozen=True)
class Chart:
    """What is drawn: lines over `x`, bars side by side, or bars on top of one another."""

    kind: ChartKind
    x: Quantity
    y: Quantity
    series: list[Series]


@dataclass(frozen=True)
class Picture:
    """The numbers so far, as a table and as a chart."""

    columns: list[Quantity]
    rows: list[list[Any]]
    chart: Chart

    def to_dict(self) -> dict[str, Any]:
        """`figures` and `chart` as plain values."""
        columns = [{"name": column.name, "unit": column.unit} for column in self.columns]
        return {"figures": {"columns": columns, "rows": self.rows}, "chart": asdict(self.chart)}


@dataclass(frozen=True)
class Sentence:
    """One sentence of a conclusion: a code of the lessons' words, and the numbers in it."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """`picture` draws what is there so far; `conclude` is asked once every part has been done."""

    name: str
    parts: tuple[Part, ...]
    picture: Callable[[Measured], Picture]
    conclude: Callable[[Measured], list[Sentence]]


def code(*words: str) -> str:
    """A code of the lessons' words."""
    return ".".join(("lesson", *words))
