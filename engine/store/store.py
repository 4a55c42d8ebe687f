"""The one truth about all runs of a home folder, for this program and any other on the same home."""

from __future__ import annotations

import atexit
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout

from engine.errors import WORDING, StoreError
from engine.events import Command, Event, Kind
from engine.store import faults, reader, samples, seen
from engine.store.ballast import Ballast
from engine.store.owners import Owners
from engine.store.pool import Pool
from engine.store.recorder import Recorder, as_json
from engine.store.run import Run, run_of
from engine.store.schema import ALIVE_STATES, BUSY
from engine.store.writer import Writer

LOOK_AROUND = 1.0
"""Seconds between two looks for runs whose program has died."""


class Store:
    """Runs, what they said, and commands to them. Any thread may call any method.

    Every method raises `StoreError` for a home folder that can't be read or written, and after `close`.
    """

    def __init__(self, home: Path) -> None:
        """Opens the store of `home`, which need not exist, and marks the runs of dead programs as interrupted.

        Raises:
            StoreError: `home` can't be a home folder: it is a file, it can't be written, it is full, or its
                database is damaged, another program's or a newer Birikim's.
        """
        # the program may change its working directory later
        self.home = home = home.absolute()
        path = home / "birikim.sqlite"
        try:
            home.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo, _opening(home):
                self._owners = Owners(home / "owners")
                undo.callback(self._owners.release)
                self._ballast = Ballast(home / "ballast")
                self._writer = Writer(path, Recorder(self._owners.token), self._ballast)
                undo.callback(self._writer.close)
                self._readers = Pool(path)
                undo.callback(self._readers.close)
                self._ballast.ensure()
                self._interrupt_dead(patience=0.1)
                self._owners.remove_stale()
                self._closing = undo.pop_all()
        except (OSError, sqlite3.Error) as problem:
            raise faults.told(problem, home if isinstance(problem, OSError) else path) from problem
        self._look_at = time.monotonic() + LOOK_AROUND
        self._process = os.getpid()
        atexit.register(self.close)

    def close(self) -> None:
        """Writes what is queued and lets go of the home folder; runs of this store that are alive are then nobody's.

        Idempotent.
        """
        atexit.unregister(self.close)
        # a forked child has no share in the threads and locks
        if os.getpid() == self._process:
            self._closing.close()

    # ---- writing ----

    def create_run(
        self, config: dict[str, Any], *, name: str = "", kind: Kind = "train", request: dict[str, Any] | None = None
    ) -> int:
        """Queues a run of this program and returns its id; it is committed on return.

        Raises:
            StoreError: also when there is no space left to keep aside for the run's last word.
        """
        if not self._ballast.ensure():
            raise StoreError("store.disk-full")

        def insert(db: sqlite3.Connection) -> int:
            now = time.time()
            row = (self._owners.token, name, as_json(config), now, now, kind, as_json(request) if request else None)
            names = "owner, name, config, created, seen, kind, request, state"
            marks = ", ".join("?" * len(row))
            return cast(int, db.execute(f"INSERT INTO runs ({names}) VALUES ({marks}, 'queued')", row).lastrowid)

        return self._writer.do(insert)

    def queue_again(self, run: int, config: dict[str, Any], request: dict[str, Any]) -> None:
        """Queues a run that has ended once more, as one of this program and with another config.

        Raises:
            StoreError: it is under way, there is no such run, or the disk is full.
        """
        if not self._ballast.ensure():
            raise StoreError("store.disk-full")
        values = (self._owners.token, as_json(config), as_json(request), time.time(), run)
        # another telling begins, so that every page reads it anew
        change = f"""
            UPDATE runs SET state = 'queued', activity = '', code = '', message = '', remedy = '', "values" = '{{}}',
                owner = ?, config = ?, request = ?, seen = ?, ended = NULL, revision = abs(random() % 1000000000)
            WHERE id = ? AND state NOT IN ({ALIVE_STATES})
            """

        if not self._writer.do(lambda db: db.execute(change, values).rowcount):
            raise StoreError("resume.under-way", run=run, state=self.run(run).state)

    def write(self, event: Event) -> None:
        """Queues an event and returns at once.

        Raises:
            StoreError: an earlier event could not be written, most often “store.disk-full”. From then on only
                `StateChanged` is taken: space was kept aside for the one that ends the run.
        """
        self._writer.put(event)

    def flush(self, timeout: float = 30.0) -> None:
        """Returns when all that this program wrote so far is committed, and so outlives it.

        Raises:
            StoreError: something written before could not be kept, or `timeout` seconds were not enough.
        """
        self._writer.flush(timeout)

    def send(self, run: int, command: Command) -> None:
        """Leaves a command for the program that owns `run`; one that has ended gets none.

        Raises:
            StoreError: there is no such run.
        """
        self.run(run)
        place = f"SELECT id, ? FROM runs WHERE id = ? AND state IN ({ALIVE_STATES})"
        self._writer.do(lambda db: db.execute(f"INSERT INTO commands (run, command) {place}", (command, run)).rowcount)

    def take_commands(self, run: int) -> list[Command]:
        """The commands left for `run` since the last call, oldest first; each is handed out once."""
        with self._readers.snapshot() as db:
            if not db.execute("SELECT 1 FROM commands WHERE run = ?", (run,)).fetchone():
                return []

        def take(db: sqlite3.Connection) -> list[Command]:
            found = db.execute("SELECT command FROM commands WHERE run = ? ORDER BY id", (run,)).fetchall()
            db.execute("DELETE FROM commands WHERE run = ?", (run,))
            return [row["command"] for row in found]

        return self._writer.do(take)

    # ---- reading ----

    def runs(self, kind: Kind = "train") -> list[Run]:
        """All runs of a kind, the newest first."""
        self._look_around()
        return self._runs("WHERE kind = ? ORDER BY id DESC", kind)

    def run(self, run: int) -> Run:
        """One run.

        Raises:
            StoreError: there is no such run.
        """
        self._look_around()
        for found in self._runs("WHERE id = ?", run):
            return found
        raise StoreError("store.no-run", run=run)

    def newest(self, names: Sequence[str]) -> list[Run]:
        """Of each of these names the newest run, of whatever kind, the oldest of them first."""
        self._look_around()
        marks = ", ".join("?" * len(names))
        latest = f"SELECT max(id) FROM runs WHERE name IN ({marks}) GROUP BY name"
        return self._runs(f"WHERE id IN ({latest}) ORDER BY id", *names)

    def next_queued(self) -> Run | None:
        """The run of this program that has waited longest."""
        return self._first("WHERE state = 'queued' AND owner = ? ORDER BY id LIMIT 1", self._owners.token)

    def current_run(self, kind: Kind = "train") -> Run | None:
        """The run that is under way, one of this program before others; else the next in a queue; else the newest."""
        self._look_around()
        order = "ORDER BY state = 'queued', owner <> ?, id LIMIT 1"
        alive = self._first(f"WHERE kind = ? AND state IN ({ALIVE_STATES}) {order}", kind, self._owners.token)
        return alive or self._first("WHERE kind = ? ORDER BY id DESC LIMIT 1", kind)

    def at_work(self) -> Run | None:
        """What this program's background thread does now, of whatever kind."""
        condition = f"WHERE owner = ? AND state <> 'queued' AND state IN ({ALIVE_STATES}) LIMIT 1"
        return self._first(condition, self._owners.token)

    def result(self, run: int, after: int = 0) -> tuple[int, dict[str, Any] | None]:
        """How often the result of a proof has grown, and the result where that is more than `after` times.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            found = db.execute("SELECT results FROM runs WHERE id = ?", (run,)).fetchone()
            if found is None:
                raise StoreError("store.no-run", run=run)
            number: int = found["results"]
            if number <= after:
                return number, None
            return number, json.loads(db.execute("SELECT result FROM runs WHERE id = ?", (run,)).fetchone()["result"])

    def updates(self, run: int, after: int = 0) -> list[dict[str, Any]]:
        """The updates later than `after`, in order, by the names of `UpdateDone`."""
        return self._rows('updates WHERE run = ? AND "update" > ? ORDER BY "update"', run, after)

    def micro_batches(self, run: int, update: int | None = None) -> list[dict[str, Any]]:
        """The micro-batches of one window, or all, in order, by the names of `MicroBatchDone`."""
        order = 'ORDER BY "update", "index"'
        if update is None:
            return self._rows(f"micro_batches WHERE run = ? {order}", run)
        return self._rows(f'micro_batches WHERE run = ? AND "update" = ? {order}', run, update)

    def evaluations(self, run: int) -> list[dict[str, Any]]:
        """The evaluations in order, by the names of `EvaluationDone`."""
        found = self._rows("evaluations WHERE run = ? ORDER BY number", run)
        for row in found:
            del row["number"]
            row["metrics"] = json.loads(row["metrics"])
        return found

    def samples(self, run: int, cursor: str = "", most: int | None = None) -> dict[str, Any]:
        """What the run said of the texts that it samples: `samples`, by the names of `SampleTaken`, in order.

        `cursor` is an earlier answer's: only what is newer comes. Without a usable one `reset` is true and all comes;
        with `most`, of at most so many updates, the first and the last among them.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            return samples.read(db, run, cursor, most)

    def watched(self, run: int, after: int = 0) -> dict[str, Any]:
        """What was seen of the last windows that were watched, and is newer than `after`, an earlier answer's `last`.

        `micro_batches`, `windows` and `replays` by the names of `MicroBatchSeen`, `WindowSeen` and `WindowReplayed`, in
        the order in which they were told. `updates` are those of which anything is kept: what a page holds of others
        was taken back, or is too old. An answer is bounded, however long the run and its windows are.

        Raises:
            StoreError: there is no such run.
        """
        with self._readers.snapshot() as db:
            return seen.read(db, run, after)

    def notices(self, run: int) -> list[dict[str, Any]]:
        """The notices in order: `code`, `message`, `values`."""
        with self._readers.snapshot() as db:
            return reader.notices(db, run)

    def read(self, run: int, cursor: str = "", points: int = 4000) -> dict[str, Any]:
        """What a page draws, ready for JSON: the run, the rows that are new since `cursor`, the current window.

        Without a usable cursor, or with more than `points` new rows, `reset` is true and the rows are the whole run,
        thinned to at most `points` a curve: the first and the last row and every extreme of each metric stay. (A
        million rows can't be thinned below a few hundred.) `eta` is in seconds, None where it is unknown.
        The answer's `cursor` belongs into the next call.

        Raises:
            StoreError: there is no such run.
        """
        self._look_around()
        with self._readers.snapshot() as db:
            return reader.read(db, self._owners.token, run, cursor, points)

    def _runs(self, condition: str, *values: Any) -> list[Run]:
        with self._readers.snapshot() as db:
            found = db.execute(f"SELECT * FROM summaries {condition}", values)
            return [run_of(row, self._owners.token) for row in found]

    def _first(self, condition: str, *values: Any) -> Run | None:
        return next(iter(self._runs(condition, *values)), None)

    def _rows(self, source: str, *values: Any) -> list[dict[str, Any]]:
        with self._readers.snapshot() as db:
            return [dict(row) for row in db.execute(f"SELECT * FROM {source}", values)]

    # ---- runs of programs that have died ----

    def _look_around(self) -> None:
        if time.monotonic() > self._look_at:
            self._look_at = time.monotonic() + LOOK_AROUND
            # a disk without space must not keep anyone from reading
            with suppress(StoreError):
                self._interrupt_dead()

    def _interrupt_dead(self, patience: float = 0.0) -> None:
        with self._readers.snapshot() as db:
            alive = f"SELECT DISTINCT owner FROM runs WHERE state IN ({ALIVE_STATES})"
            owners = [row["owner"] for row in db.execute(alive)]
        for owner in owners:
            if not self._owners.alive(owner, patience=patience):
                self._writer.do(partial(_interrupt, owner=owner))


def _interrupt(db: sqlite3.Connection, owner: str) -> None:
    for condition, code in (("= 'queued'", "run.never-started"), (f"IN ({ALIVE_STATES})", "run.interrupted")):
        db.execute(
            f"""
            UPDATE runs SET state = 'interrupted', activity = '', code = ?, message = ?, remedy = ?, "values" = '{{}}',
                ended = seen
            WHERE owner = ? AND state {condition}
            """,
            (code, *WORDING[code], owner),
        )
    db.execute(f"DELETE FROM commands WHERE run NOT IN (SELECT id FROM runs WHERE state IN ({ALIVE_STATES}))")


@contextmanager
def _opening(home: Path) -> Iterator[None]:
    """One program at a time opens the store: it lays out the file and clears away what the dead have left."""
    try:
        with FileLock(home / "open.lock").acquire(timeout=BUSY):
            yield
    except Timeout:
        raise StoreError("store.busy", path=home) from None
