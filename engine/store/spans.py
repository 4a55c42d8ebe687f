"""Questions about a whole run that are answered without reading all of it."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, cast

from engine.store.levels import FACTOR, coarsest, cover, rows
from engine.store.series import UPDATES

LEVEL = 6
"""Of the marks that are looked through: its buckets of 4,096 updates are then read as they are."""


def first_update_at_most(db: sqlite3.Connection, run: int, bound: float) -> sqlite3.Row | None:
    """The first update whose loss is at or under `bound`."""
    top = min(LEVEL, coarsest(db, run, UPDATES))
    chosen = cover(db, run, UPDATES, top)
    reached = (row for row in rows(db, run, UPDATES, chosen) if row["loss"] is not None and row["loss"] <= bound)
    found: sqlite3.Row | None = next(reached, None)
    if found is None or found["update"] > chosen.position:
        return found
    # the marked row is the lowest of its bucket, and may not be the first
    size = FACTOR**top
    start = (found["update"] - 1) // size * size
    condition = 'run = ? AND "update" BETWEEN ? AND ? AND loss <= ?'
    first = db.execute(
        f'SELECT * FROM updates WHERE {condition} ORDER BY "update" LIMIT 1',
        (run, start + 1, found["update"], bound),
    )
    return cast(sqlite3.Row | None, first.fetchone())


def first_evaluation_at_most(db: sqlite3.Connection, run: int, bound: float) -> sqlite3.Row | None:
    """The first evaluation whose loss is at or under `bound`, with the `total_tokens` of its update."""
    found = db.execute(
        """
        SELECT evaluations.*, updates.total_tokens FROM evaluations
        LEFT JOIN updates ON updates.run = evaluations.run AND updates."update" = evaluations."update"
        WHERE evaluations.run = ? AND evaluations.loss <= ? ORDER BY number LIMIT 1
        """,
        (run, bound),
    )
    return cast(sqlite3.Row | None, found.fetchone())


def spread_out(db: sqlite3.Connection, run: int, after: int, most: int) -> list[sqlite3.Row]:
    """The updates later than `after`, or `most` of them that lie evenly between the first and the last."""
    first, last = UPDATES.bounds(db, run)
    first = max(first, after + 1)
    count = last - first + 1
    if count <= most:
        return db.execute(UPDATES.select("> ?"), (run, after)).fetchall()
    keys = [first + place * (count - 1) // (most - 1) for place in range(most)]
    return db.execute(UPDATES.select("IN (SELECT value FROM json_each(?))"), (run, json.dumps(keys))).fetchall()


def place_of(row: sqlite3.Row | None) -> dict[str, Any] | None:
    """Where on every axis a row of the store lies."""
    names = ("update", "total_examples", "total_targets", "total_tokens", "seconds")
    return None if row is None else {name: row[name] for name in names}
