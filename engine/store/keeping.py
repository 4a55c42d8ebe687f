"""What people do with runs that are there: say something of them, put them into the bin and take them out again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence

from engine.errors import StoreError
from engine.store.schema import ALIVE_STATES, folded

MOST_TAGS = 20
LONGEST_TAG = 40
LONGEST_TITLE = 200
LONGEST_NOTES = 10_000

TABLES = ("updates", "micro_batches", "evaluations", "memory", "marks", "notices", "commands", "samples", "seen")
"""Where rows of a run are, beside its own."""


def checked_tags(tags: Sequence[str]) -> list[str]:
    """Tags without spaces around them, each once, whatever its capitals; empty ones are none.

    Raises StoreError: one is too long, or there are too many.
    """
    kept: dict[str, str] = {}
    for tag in (plain(" ".join(each.split())) for each in tags):
        if len(tag) > LONGEST_TAG:
            raise StoreError("history.long-tag", most=LONGEST_TAG)
        if tag:
            kept.setdefault(folded(tag), tag)
    if len(kept) > MOST_TAGS:
        raise StoreError("history.many-tags", most=MOST_TAGS)
    return list(kept.values())


def checked_title(title: str) -> str:
    """Raises StoreError: it is too long."""
    if len(title := " ".join(title.split())) > LONGEST_TITLE:
        raise StoreError("history.long-title", most=LONGEST_TITLE)
    return plain(title)


def checked_notes(notes: str) -> str:
    """Raises StoreError: they are too long."""
    if len(notes) > LONGEST_NOTES:
        raise StoreError("history.long-notes", most=LONGEST_NOTES)
    return plain(notes)


def plain(text: str) -> str:
    """Text that any database and any page takes: broken characters become “\\ud800”."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def annotate(db: sqlite3.Connection, run: int, values: dict[str, str]) -> None:
    """Writes `values` by column. Raises StoreError: there is no such run."""
    changes = ", ".join(f"{name} = :{name}" for name in ("id", *values))
    if not db.execute(f"UPDATE runs SET {changes} WHERE id = :id", {**values, "id": run}).rowcount:
        raise StoreError("store.no-run", run=run)


def delete(db: sqlite3.Connection, runs: Sequence[int]) -> None:
    """Into the bin, all or none. Raises StoreError: one is under way, or there is none of that number."""
    _ended(db, runs)
    now = time.time()
    db.executemany("UPDATE runs SET deleted = coalesce(deleted, ?) WHERE id = ?", [(now, run) for run in runs])


def restore(db: sqlite3.Connection, runs: Sequence[int]) -> None:
    """Out of the bin. Raises StoreError: there is none of that number."""
    for run in runs:
        annotate(db, run, {})
    db.executemany("UPDATE runs SET deleted = NULL WHERE id = ?", [(run,) for run in runs])


def purge(db: sqlite3.Connection, runs: Sequence[int]) -> None:
    """All that is told of runs in the bin, all or none.

    Raises StoreError: one is not in the bin or is under way, or there is none of that number.
    """
    _ended(db, runs)
    kept = db.execute(
        "SELECT id FROM runs WHERE id IN (SELECT value FROM json_each(?)) AND deleted IS NULL",
        (json.dumps(list(runs)),),
    ).fetchone()
    if kept:
        raise StoreError("history.not-in-bin", run=kept["id"])
    for table in TABLES:
        db.executemany(f"DELETE FROM {table} WHERE run = ?", [(run,) for run in runs])
    db.executemany("DELETE FROM runs WHERE id = ?", [(run,) for run in runs])


def _ended(db: sqlite3.Connection, runs: Sequence[int]) -> None:
    for run in runs:
        found = db.execute(f"SELECT state IN ({ALIVE_STATES}) AS alive FROM runs WHERE id = ?", (run,)).fetchone()
        if found is None:
            raise StoreError("store.no-run", run=run)
        if found["alive"]:
            raise StoreError("history.under-way", run=run)
