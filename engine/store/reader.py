"""What a page asks for again and again: the run, and what it has said since the last time."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any, NamedTuple

from engine.errors import StoreError
from engine.events import ALIVE
from engine.store.levels import thinned
from engine.store.run import Run, run_of
from engine.store.series import ALL, Series

NOTED = ("title", "tags", "notes")
"""What people say of a run is for the list of runs: others may watch one."""

RECENT = 20
"""Updates whose mean duration foretells the rest."""


class _Cursor(NamedTuple):
    """How far a page has read: the last key of each series, in the order of `ALL`, and the last notice."""

    run: int
    revision: int
    updates: int
    evaluations: int
    memory: int
    notices: int

    @classmethod
    def parse(cls, text: str) -> _Cursor | None:
        known = re.fullmatch(r"\d{1,18}(\.\d{1,18}){5}", text, re.ASCII)
        return cls._make(map(int, text.split("."))) if known else None

    def __str__(self) -> str:
        return ".".join(map(str, self))

    @property
    def keys(self) -> tuple[int, int, int]:
        return self.updates, self.evaluations, self.memory

    def leads_to(self, here: _Cursor, points: int) -> bool:
        """Whether a page that stands at this cursor can go on to `here` with at most `points` new rows a series."""
        same_telling = self[:2] == here[:2] and self.notices <= here.notices
        return same_telling and all(0 <= new - old <= points for old, new in zip(self.keys, here.keys, strict=True))


def read(db: sqlite3.Connection, token: str, run: int, cursor: str, points: int) -> dict[str, Any]:
    """`Store.read` inside a transaction, so that all parts are of one moment."""
    row = db.execute("SELECT * FROM summaries WHERE id = ?", (run,)).fetchone()
    if row is None:
        raise StoreError("store.no-run", run=run)
    found = run_of(row, token)
    bounds = [series.bounds(db, run) for series in ALL]
    last_notice = db.execute("SELECT max(id) FROM notices WHERE run = ?", (run,)).fetchone()[0] or 0
    here = _Cursor._make((run, row["revision"], *(last for _, last in bounds), last_notice))
    since = _Cursor.parse(cursor)
    if since is None or not since.leads_to(here, points):
        since = _Cursor(run, 0, 0, 0, 0, 0)
        reset, thin = True, any(last - first >= points for first, last in bounds)
        parts = [_whole(db, run, series, ends, points) for series, ends in zip(ALL, bounds, strict=True)]
    else:
        reset, thin = False, False
        parts = [
            db.execute(series.select("> ?"), (run, old)).fetchall() if old < last else []
            for series, old, (_, last) in zip(ALL, since.keys, bounds, strict=True)
        ]
    return {
        "run": {name: value for name, value in vars(found).items() if name not in NOTED} | {"eta": _eta(db, found)},
        "cursor": str(here),
        "reset": reset,
        **{series.table: _columns(series, part) for series, part in zip(ALL, parts, strict=True)},
        "window": _window(db, found),
        "notices": notices(db, run, since.notices) if since.notices < last_notice else [],
        "thinned": thin,
    }


def notices(db: sqlite3.Connection, run: int, after: int = 0) -> list[dict[str, Any]]:
    rows = db.execute('SELECT code, message, "values" FROM notices WHERE run = ? AND id > ? ORDER BY id', (run, after))
    return [{**dict(row), "values": json.loads(row["values"])} for row in rows]


def _whole(db: sqlite3.Connection, run: int, series: Series, ends: tuple[int, int], points: int) -> list[Any]:
    first, last = ends
    if last - first < points:
        return db.execute(series.select("> 0"), (run,)).fetchall()
    return thinned(db, run, series, first, last, points)


def _columns(series: Series, rows: list[Any]) -> dict[str, list[Any]]:
    held = dict(zip(rows[0].keys(), zip(*rows, strict=True), strict=True)) if rows else {}
    columns = {name: list(held.get(name, ())) for name in series.shown}
    if "metrics" in columns:
        columns["metrics"] = [json.loads(metrics) for metrics in columns["metrics"]]
    return columns


def _window(db: sqlite3.Connection, run: Run) -> dict[str, Any]:
    """The window that is filling or was filled last; of a run that has ended the last whole one, if any."""
    last = 'SELECT max("update") FROM micro_batches WHERE run = :run'
    whole = f'{last} AND "update" <= :update'
    wanted = last if run.state in ALIVE else f"coalesce(({whole}), ({last}))"
    rows = db.execute(
        f'SELECT * FROM micro_batches WHERE run = :run AND "update" = ({wanted}) ORDER BY "index"',
        {"run": run.id, "update": run.update},
    ).fetchall()
    shown = ("index", "loss", "weight", "targets", "examples", "seconds", "grad_norm")
    return {
        "update": rows[0]["update"] if rows else 0,
        "of": rows[0]["of"] if rows else 0,
        "micro_batches": [{name: row[name] for name in shown} for row in rows],
    }


def _eta(db: sqlite3.Connection, run: Run) -> float | None:
    """Seconds until the last update, if the coming ones take as long as the last `RECENT`."""
    total = (run.plan or {}).get("updates_total")
    if total is None or run.state not in ALIVE:
        return None
    recent = 'SELECT duration FROM updates WHERE run = ? ORDER BY "update" DESC LIMIT ?'
    mean = db.execute(f"SELECT avg(duration) FROM ({recent})", (run.id, RECENT)).fetchone()[0]
    return None if mean is None else float(mean * max(0, total - run.update))
