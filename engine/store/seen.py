"""What was watched of the windows of a run: bounded, since micro-batches in words and by layer are large."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from engine.errors import StoreError
from engine.events import MicroBatchSeen, WindowReplayed, WindowSeen

Seen = MicroBatchSeen | WindowSeen | WindowReplayed

KINDS: dict[type[Seen], str] = {MicroBatchSeen: "micro_batches", WindowSeen: "windows", WindowReplayed: "replays"}

KEPT_WINDOWS = 64
KEPT = 2048
"""Of a run at most so many windows are kept, and so many things that were seen of them."""

READ_WINDOWS = 8
READ = 256
"""An answer holds the newest of so many windows, and of them at most so much."""


def told(event: Seen) -> dict[str, Any]:
    """What is kept of an event beside its run."""
    return {name: value for name, value in vars(event).items() if name != "run"}


def keep(db: sqlite3.Connection, event: Seen, as_json: str) -> None:
    """Writes what was seen, and drops what is too old by now."""
    kind = KINDS[type(event)]
    index = 0 if isinstance(event, WindowSeen) else event.index
    if not isinstance(event, WindowReplayed):
        # the window may have begun anew; what a replay has told stays true
        again = """
            DELETE FROM seen WHERE run = :run AND ("update" > :update
                OR "update" = :update AND kind = 'windows'
                OR "update" = :update AND kind = 'micro_batches' AND :index > 0 AND "index" >= :index)
            """
        db.execute(again, {"run": event.run, "update": event.update, "index": index})
    db.execute(
        'INSERT INTO seen (run, "update", kind, "index", told) VALUES (?, ?, ?, ?, ?)',
        (event.run, event.update, kind, index, as_json),
    )
    windows = _windows(db, event.run)
    if len(windows) > KEPT_WINDOWS:
        db.execute('DELETE FROM seen WHERE run = ? AND "update" < ?', (event.run, windows[-KEPT_WINDOWS]))
    oldest = db.execute("SELECT id FROM seen WHERE run = ? ORDER BY id DESC LIMIT 1 OFFSET ?", (event.run, KEPT))
    if (found := oldest.fetchone()) is not None:
        db.execute("DELETE FROM seen WHERE run = ? AND id <= ?", (event.run, found["id"]))


def take_back(db: sqlite3.Connection, run: int, update: int) -> None:
    """Deletes what was seen of `update` and later ones."""
    db.execute('DELETE FROM seen WHERE run = ? AND "update" >= ?', (run, update))


def read(db: sqlite3.Connection, run: int, after: int) -> dict[str, Any]:
    """`Store.watched` inside a transaction."""
    if db.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
        raise StoreError("store.no-run", run=run)
    windows = _windows(db, run)
    first = windows[-READ_WINDOWS:][0] if windows else 0
    rows = db.execute(
        'SELECT id, kind, told FROM seen WHERE run = ? AND "update" >= ? AND id > ? ORDER BY id DESC LIMIT ?',
        (run, first, after, READ),
    ).fetchall()
    answer: dict[str, Any] = {kind: [] for kind in KINDS.values()}
    for row in reversed(rows):
        answer[row["kind"]].append(json.loads(row["told"]))
    return {**answer, "updates": windows, "last": rows[0]["id"] if rows else after}


def _windows(db: sqlite3.Connection, run: int) -> list[int]:
    """The updates of which something is kept, in order."""
    found = db.execute('SELECT DISTINCT "update" FROM seen WHERE run = ? ORDER BY "update"', (run,))
    return [row["update"] for row in found]
