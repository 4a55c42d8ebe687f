"""What runs said of the texts that they sample: written, taken back and read by a cursor."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from engine.errors import StoreError

PLAIN = ("run", "update", "index", "kind", "given")
AS_JSON = ("wanted", "got", "right", "scores")
COLUMNS = ", ".join(f'"{name}"' for name in (*PLAIN, *AS_JSON))


def keep(db: sqlite3.Connection, run: int, row: Mapping[str, Any]) -> None:
    """Writes one sample, its `AS_JSON` as JSON; an older telling of the same update and text is taken back."""
    again = 'SELECT 1 FROM samples WHERE run = ? AND "update" >= ? AND "index" = ?'
    if db.execute(again, (run, row["update"], row["index"])).fetchone():
        take_back(db, run, row["update"])
    values = [row[name] for name in (*PLAIN, *AS_JSON)]
    db.execute(f"INSERT INTO samples ({COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)


def take_back(db: sqlite3.Connection, run: int, update: int) -> None:
    """Deletes the samples of `update` and later ones: a resumed run tells them anew."""
    if db.execute('DELETE FROM samples WHERE run = ? AND "update" >= ?', (run, update)).rowcount:
        db.execute("UPDATE runs SET revision = abs(random() % 1000000000) WHERE id = ?", (run,))


def read(db: sqlite3.Connection, run: int, cursor: str, most: int | None) -> dict[str, Any]:
    """`Store.samples` inside a transaction."""
    found = db.execute("SELECT revision FROM runs WHERE id = ?", (run,)).fetchone()
    if found is None:
        raise StoreError("store.no-run", run=run)
    revision = found["revision"]
    last = db.execute("SELECT max(id) FROM samples WHERE run = ?", (run,)).fetchone()[0] or 0
    known = re.fullmatch(r"(\d{1,18})\.(\d{1,18})\.(\d{1,18})", cursor, re.ASCII)
    after = int(known[3]) if known and (int(known[1]), int(known[2])) == (run, revision) else None
    updates = _updates(db, run, after or 0)
    if most is not None and len(updates) > most:
        after, updates = None, _evenly(_updates(db, run, 0), most)
    where = 'run = ? AND id > ? AND "update" IN (SELECT value FROM json_each(?)) ORDER BY "update", "index"'
    rows = db.execute(f"SELECT {COLUMNS} FROM samples WHERE {where}", (run, after or 0, json.dumps(updates)))
    return {"cursor": f"{run}.{revision}.{last}", "reset": after is None, "samples": [_told(row) for row in rows]}


def _updates(db: sqlite3.Connection, run: int, after: int) -> list[int]:
    found = db.execute('SELECT DISTINCT "update" FROM samples WHERE run = ? AND id > ? ORDER BY "update"', (run, after))
    return [row["update"] for row in found]


def _evenly(updates: list[int], most: int) -> list[int]:
    """At most `most` of them, two or more, the first and the last among them."""
    steps = max(2, most) - 1
    return [updates[round(step * (len(updates) - 1) / steps)] for step in range(steps + 1)]


def _told(row: sqlite3.Row) -> dict[str, Any]:
    return {name: row[name] for name in PLAIN} | {name: json.loads(row[name]) for name in AS_JSON}
