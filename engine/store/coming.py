"""A run of another home on its way into this one: in the bin until all of it is here."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from engine.errors import WORDING, StoreError
from engine.events import Event
from engine.store import whole
from engine.store.recorder import Recorder, as_json

UNFINISHED = "run.import-unfinished"
AT_A_TIME = 5000
"""Events in one transaction: the runs of this program write in between."""


def begin(db: sqlite3.Connection, owner: str) -> int:
    """The row of a run of which nothing else is known yet."""
    now = time.time()
    values = {"owner": owner, "name": "", "state": "interrupted", "code": UNFINISHED, "created": now, "seen": now}
    values |= {"message": WORDING[UNFINISHED].message, "remedy": WORDING[UNFINISHED].remedy, "deleted": now}
    names = ", ".join((*values, "config"))
    found = db.execute(
        f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(values))}, '{{}}')", (*values.values(),)
    )
    assert found.lastrowid
    return found.lastrowid


def batches(run: int, rows: Iterable[tuple[str, list[Any]]]) -> Iterator[tuple[Event, ...]]:
    """What was told, as events of `run`."""
    events = (whole.event(run, name, row) for name, row in rows)
    while batch := tuple(islice(events, AT_A_TIME)):
        yield batch


def tell(db: sqlite3.Connection, recorder: Recorder, events: Iterable[Event]) -> None:
    for event in events:
        recorder.record(db, event)


def end(db: sqlite3.Connection, run: int, head: dict[str, Any]) -> None:
    """All of it is here: the run becomes what it was. Raises StoreError where it has been taken away meanwhile."""
    values = {
        name: as_json(value) if name in whole.HEAD_JSON and value is not None else value for name, value in head.items()
    }
    changes = ", ".join(f'"{name}" = :{name}' for name in values)
    change = f"UPDATE runs SET {changes}, seen = :now, deleted = NULL WHERE id = :id"
    if not db.execute(change, {**values, "id": run, "now": time.time()}).rowcount:
        raise StoreError("store.no-run", run=run)
