"""Turns events into rows. Runs inside the writer's transactions, on its connection."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from typing import Any

from engine.errors import WORDING
from engine.events import (
    ALIVE,
    EvaluationDone,
    Event,
    FactsGrew,
    MemorySample,
    MicroBatchDone,
    MicroBatchSeen,
    Notice,
    ResultGrew,
    RunPlanned,
    RunResumed,
    SampleTaken,
    StateChanged,
    UpdateDone,
    WindowReplayed,
    WindowSeen,
    WindowSkipped,
)
from engine.store import samples, seen
from engine.store.levels import Buckets, coarsest, cover, keep, rows, take_back
from engine.store.schema import ALIVE_STATES
from engine.store.series import EVALUATIONS, MEMORY, UPDATES, Series

SKIPPED = "run.window-skipped"


class Recorder:
    """Writes the events of the runs that `owner` works on."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._growing: dict[tuple[int, str], _Growth] = {}

    def record(self, db: sqlite3.Connection, event: Event) -> None:
        match event:
            case MicroBatchDone():
                self._micro_batch(db, event)
            case UpdateDone():
                self._update(db, event)
            case MicroBatchSeen() | WindowSeen() | WindowReplayed():
                seen.keep(db, event, as_json(seen.told(event)))
            case MemorySample():
                growth = self._growth(db, event.run, MEMORY)
                growth.append(db, {**_row(event), "number": growth.last + 1})
            case EvaluationDone():
                self._evaluation(db, event)
            case SampleTaken():
                as_text = {name: as_json(getattr(event, name)) for name in samples.AS_JSON}
                samples.keep(db, event.run, {**_row(event), **as_text})
            case StateChanged():
                self._state(db, event)
            case RunPlanned():
                values = (as_json(event.plan), as_json(event.facts), event.run)
                db.execute("UPDATE runs SET plan = ?, facts = ? WHERE id = ?", values)
            case RunResumed():
                self._resumed(db, event)
            case FactsGrew():
                grown = (as_json(event.facts), event.run)
                db.execute("UPDATE runs SET facts = json_patch(coalesce(facts, '{}'), ?) WHERE id = ?", grown)
            case Notice():
                _notice(db, event)
            case WindowSkipped():
                _skipped(db, event)
                seen.take_back(db, event.run, event.after + 1)
            case ResultGrew():
                grown = (as_json(event.values), event.run)
                db.execute("UPDATE runs SET result = ?, results = results + 1 WHERE id = ?", grown)

    def forget(self) -> None:
        """After a transaction that was rolled back: what is remembered was never written."""
        self._growing.clear()

    def let_go(self, run: int) -> None:
        """Of a run that tells no more nothing is remembered."""
        self._growing = {place: growth for place, growth in self._growing.items() if place[0] != run}

    def _growth(self, db: sqlite3.Connection, run: int, series: Series) -> _Growth:
        place = (run, series.table)
        if place not in self._growing:
            self._growing[place] = _Growth(db, run, series)
        return self._growing[place]

    def _micro_batch(self, db: sqlite3.Connection, event: MicroBatchDone) -> None:
        if event.index == 1:
            # the window begins anew: after Stop and a resumption half of an older one may stand there
            db.execute('DELETE FROM micro_batches WHERE run = ? AND "update" >= ?', (event.run, event.update))
        db.execute(
            "INSERT OR REPLACE INTO micro_batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*_row(event).values(),)
        )

    def _update(self, db: sqlite3.Connection, event: UpdateDone) -> None:
        updates = self._growth(db, event.run, UPDATES)
        if event.update <= updates.last:
            self._take_back(db, event.run, UPDATES, event.update)
            self._take_back(db, event.run, EVALUATIONS, event.update)
            samples.take_back(db, event.run, event.update)
            seen.take_back(db, event.run, event.update + 1)
            updates = self._growth(db, event.run, UPDATES)
        updates.append(db, _row(event))

    def _evaluation(self, db: sqlite3.Connection, event: EvaluationDone) -> None:
        self._take_back(db, event.run, EVALUATIONS, event.update)
        growth = self._growth(db, event.run, EVALUATIONS)
        growth.append(db, {**_row(event), "number": growth.last + 1})

    def _resumed(self, db: sqlite3.Connection, event: RunResumed) -> None:
        for series in (UPDATES, EVALUATIONS):
            self._take_back(db, event.run, series, event.update + 1)
        later = 'SELECT min(number) FROM memory WHERE run = ? AND ("update" > ? OR seconds > ?)'
        first = db.execute(later, (event.run, event.update, event.seconds)).fetchone()[0]
        if first is not None:
            self._delete(db, event.run, MEMORY, first)
        db.execute('DELETE FROM micro_batches WHERE run = ? AND "update" > ?', (event.run, event.update))
        samples.take_back(db, event.run, event.update + 1)
        seen.take_back(db, event.run, event.update + 1)
        skipped = {"windows": event.skipped_windows, "examples": event.skipped_examples, "after": event.update}
        _count_skipped(db, event.run, skipped)

    def _take_back(self, db: sqlite3.Connection, run: int, series: Series, update: int) -> None:
        """Deletes the rows of `update` and later ones: a resumed run tells them anew."""
        key, table = f'"{series.key}"', series.table
        kept = db.execute(
            f'SELECT {key} FROM {table} WHERE run = ? AND "update" < ? ORDER BY {key} DESC LIMIT 1', (run, update)
        ).fetchone()
        self._delete(db, run, series, kept[0] + 1 if kept else 1)

    def _delete(self, db: sqlite3.Connection, run: int, series: Series, first: int) -> None:
        """Deletes the rows from the key `first` on."""
        key, table = f'"{series.key}"', series.table
        if db.execute(f"DELETE FROM {table} WHERE run = ? AND {key} >= ?", (run, first)).rowcount:
            take_back(db, run, series, first)
            db.execute("UPDATE runs SET revision = abs(random() % 1000000000) WHERE id = ?", (run,))
            self._growing.pop((run, table), None)

    def _state(self, db: sqlite3.Connection, event: StateChanged) -> None:
        now = time.time()
        db.execute(
            f"""
            UPDATE runs SET state = :state, activity = :activity, code = :code, message = :message, remedy = :remedy,
                "values" = :values, owner = CASE WHEN state IN ({ALIVE_STATES}) THEN owner ELSE :owner END,
                started = CASE WHEN :begun THEN coalesce(started, :now) ELSE started END,
                ended = CASE WHEN :ended THEN :now END
            WHERE id = :run AND (state IN ({ALIVE_STATES}) OR :resumed)
            """,
            {
                **_row(event),
                "owner": self._owner,
                "now": now,
                "begun": event.state in ("loading", "running"),
                "ended": event.state not in ALIVE,
                # the only ways out of an end
                "resumed": event.state in ("queued", "loading"),
            },
        )
        if event.state not in ALIVE:
            db.execute("DELETE FROM commands WHERE run = ?", (event.run,))
            # another program may resume the run
            self.let_go(event.run)


class _Growth:
    """Where one series of a run ends, and its buckets that are still filling."""

    def __init__(self, db: sqlite3.Connection, run: int, series: Series) -> None:
        self._run = run
        self._series = series
        self._insert = series.insert
        self._buckets = Buckets(series.finest)
        self.last = series.bounds(db, run)[1]
        # what the full buckets mark stands for them in the buckets above that are still filling
        for row in rows(db, run, series, cover(db, run, series, coarsest(db, run, series))):
            self._buckets.add(row[series.key], series.values(row))

    def append(self, db: sqlite3.Connection, row: dict[str, Any]) -> None:
        """Writes `row`, whose key is higher than `last`."""
        self.last = row[self._series.key]
        db.execute(self._insert, (*row.values(),))
        keep(db, self._run, self._series, self._buckets.add(self.last, self._series.values(row)))


def _notice(db: sqlite3.Connection, event: Notice) -> None:
    db.execute('INSERT INTO notices (run, code, message, "values") VALUES (?, ?, ?, ?)', (*_row(event).values(),))


def _skipped(db: sqlite3.Connection, event: WindowSkipped) -> None:
    """One notice a run, counted up: a data set may have thousands of such windows."""
    before = db.execute('SELECT "values" FROM notices WHERE run = ? AND code = ?', (event.run, SKIPPED)).fetchone()
    values = json.loads(before["values"]) if before else {"windows": 0, "examples": 0}
    counted = {
        "windows": values["windows"] + 1,
        "examples": values["examples"] + event.examples,
        "after": event.after,
    }
    _count_skipped(db, event.run, counted)


def _count_skipped(db: sqlite3.Connection, run: int, values: dict[str, int]) -> None:
    db.execute("DELETE FROM notices WHERE run = ? AND code = ?", (run, SKIPPED))
    if values["windows"]:
        _notice(db, Notice(run=run, code=SKIPPED, message=WORDING[SKIPPED].message.format(**values), values=values))


def _row(event: Event) -> dict[str, Any]:
    """The fields of an event as SQLite takes them."""
    return {name: _plain(value) for name, value in vars(event).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return as_json(value)
    return _text(value) if isinstance(value, str) else value


def as_json(value: Any) -> str:
    """JSON that any reader takes.

    NaN and infinity become null, numbers beyond 64 bits become floating, broken characters “\\ud800”, and what JSON
    doesn't know becomes text.
    """
    return json.dumps(_tellable(value), default=str)


def _tellable(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) >= 2**63:
        return float(value) if value.bit_length() < 1024 else None
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {_text(str(name)): _tellable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_tellable(inner) for inner in value]
    return value


def _text(value: str) -> str:
    """A file name that is no UTF-8 comes with lone surrogates."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")
