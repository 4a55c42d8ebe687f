"""The three series of a run that are drawn as curves: updates, evaluations and memory samples."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engine.events import EvaluationDone, MemorySample, UpdateDone


@dataclass(frozen=True)
class Series:
    """A table of rows that a run appends to, `key` counting up from 1.

    `columns` are those of the table in the order of the event's fields, `shown` those that a page gets,
    `charted` those whose extremes a thinned curve keeps; the metrics of an evaluation join them.
    `finest` is the level that thinning begins with: a bucket of fewer than 4 ** finest rows would mark nearly
    all of them.
    """

    table: str
    key: str
    columns: tuple[str, ...]
    shown: tuple[str, ...]
    charted: tuple[str, ...]
    finest: int

    def values(self, row: Mapping[str, Any] | sqlite3.Row) -> dict[str, float | None]:
        """What is charted of `row`, by name."""
        values: dict[str, float | None] = {name: row[name] for name in self.charted}
        if "metrics" in self.columns:
            values |= json.loads(row["metrics"])
        return values

    @property
    def insert(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.columns)
        return f"INSERT OR REPLACE INTO {self.table} ({names}) VALUES ({', '.join('?' * len(self.columns))})"

    def select(self, condition: str) -> str:
        """The rows of one run whose `key` meets a condition such as “> ?”, in order."""
        return f'SELECT * FROM {self.table} WHERE run = ? AND "{self.key}" {condition} ORDER BY "{self.key}"'

    def bounds(self, db: sqlite3.Connection, run: int) -> tuple[int, int]:
        """The first and the last key of a run, 0 and 0 where it has no row."""
        # two questions: SQLite answers one of min and max from the index, and both by reading all
        first, last = (
            db.execute(f'SELECT {end}("{self.key}") FROM {self.table} WHERE run = ?', (run,)).fetchone()[0] or 0
            for end in ("min", "max")
        )
        return first, last


def _columns(event: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(event))


UPDATES = Series(
    table="updates",
    key="update",
    columns=_columns(UpdateDone),
    shown=(
        *("update", "epoch", "loss", "grad_norm", "learning_rate", "examples", "targets", "padding", "duration"),
        *("seconds", "total_examples", "total_targets", "memory", "total_tokens"),
    ),
    charted=("loss", "grad_norm", "learning_rate", "targets", "examples", "duration", "memory"),
    finest=2,
)

EVALUATIONS = Series(
    table="evaluations",
    key="number",
    columns=(*_columns(EvaluationDone), "number"),
    shown=("update", "loss", "metrics", "seconds", "total_examples", "total_targets"),
    charted=("loss",),
    finest=1,
)

MEMORY = Series(
    table="memory",
    key="number",
    columns=(*_columns(MemorySample), "number"),
    shown=(
        *("seconds", "update", "total_examples", "total_targets", "resident", "allocated", "reserved"),
        "device_used",
    ),
    charted=("resident", "allocated", "reserved", "device_used"),
    finest=1,
)

ALL = (UPDATES, EVALUATIONS, MEMORY)
