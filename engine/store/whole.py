"""All that the store holds of a run, row by row, and how such rows become events again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from engine.events import (
    EvaluationDone,
    Event,
    MemorySample,
    MicroBatchDone,
    Notice,
    SampleTaken,
    UpdateDone,
)
from engine.store import samples, seen

HEAD = (
    *("name", "title", "tags", "notes", "state", "code", "message", "remedy", "values", "config", "plan", "facts"),
    *("request", "created", "started", "ended"),
)
"""Of the run itself."""
HEAD_JSON = ("tags", "values", "config", "plan", "facts", "request")

SEEN: dict[str, type[seen.Seen]] = {kind: event for event, kind in seen.KINDS.items()}


class Table(NamedTuple):
    """`columns` of a table that are an event's fields but its run, those that are kept `as_json`, and the `order`."""

    event: type[Any]
    columns: tuple[str, ...]
    order: str
    as_json: tuple[str, ...] = ()


def _table(event: type[Any], order: str, as_json: tuple[str, ...] = ()) -> Table:
    return Table(event, tuple(field.name for field in fields(event) if field.name != "run"), order, as_json)


TABLES: dict[str, Table] = {
    "updates": _table(UpdateDone, '"update"'),
    "micro_batches": _table(MicroBatchDone, '"update", "index"'),
    "evaluations": _table(EvaluationDone, "number", ("metrics",)),
    "memory": _table(MemorySample, "number"),
    "samples": _table(SampleTaken, "id", samples.AS_JSON),
    "seen": Table(seen.Seen, ("kind", "told"), "id", ("told",)),  # type: ignore[arg-type]
    "notices": _table(Notice, "id", ("values",)),
}
"""In the order in which they are told again."""


def head(db: sqlite3.Connection, run: int) -> dict[str, Any]:
    """The run's own row, of one that there is."""
    row = db.execute("SELECT * FROM runs WHERE id = ?", (run,)).fetchone()
    return {name: json.loads(row[name] or "null") if name in HEAD_JSON else row[name] for name in HEAD}


def rows(db: sqlite3.Connection, run: int, name: str) -> Iterator[list[Any]]:
    """The rows of a table, each as the values of its columns."""
    table = TABLES[name]
    columns = ", ".join(f'"{column}"' for column in table.columns)
    places = [table.columns.index(column) for column in table.as_json]
    for found in db.execute(f"SELECT {columns} FROM {name} WHERE run = ? ORDER BY {table.order}", (run,)):
        row = list(found)
        for place in places:
            row[place] = json.loads(row[place])
        yield row


def event(run: int, name: str, row: list[Any]) -> Event:
    """What was told, as an event of `run`."""
    if name == "seen":
        kind, told = row
        found: Event = SEEN[kind](run=run, **told)
        return found
    table = TABLES[name]
    told_again: Event = table.event(run=run, **dict(zip(table.columns, row, strict=True)))
    return told_again
