"""The one truth about all runs of a home folder, for this program and any other on the same home."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout

from engine.errors import WORDING, StoreError
from engine.events import Command, Event, Kind
from engine.store import coming, faults, keeping
from engine.store.ballast import Ballast
from engine.store.owners import Owners
from engine.store.pool import Pool
from engine.store.reading import Reading
from engine.store.recorder import Recorder, as_json
from engine.store.schema import ALIVE_STATES, BUSY, FILE
from engine.store.writer import Writer

LONGEST_PURGE = 300.0
"""Seconds that the rows of runs may take to go: a million of them take a while."""

LOOK_AROUND = 1.0
"""Seconds between two looks for runs whose program has died."""


class Store(Reading):
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
        path = home / FILE
        try:
            home.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo, _opening(home):
                self._owners = Owners(home / "owners")
                undo.callback(self._owners.release)
                self.token = self._owners.token
                self._ballast = Ballast(home / "ballast")
                self._recorder = Recorder(self.token)
                self._writer = Writer(path, self._recorder, self._ballast)
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
            row = (self.token, name, as_json(config), now, now, kind, as_json(request) if request else None)
            names = "owner, name, config, created, seen, kind, request, state"
            marks = ", ".join("?" * len(row))
            return cast(int, db.execute(f"INSERT INTO runs ({names}) VALUES ({marks}, 'queued')", row).lastrowid)

        return self._writer.do(insert)

    def queue_again(self, run: int, config: dict[str, Any], request: dict[str, Any]) -> None:
        """Queues a run that has ended once more, as one of this program and with another config; it leaves the bin.

        Raises:
            StoreError: it is under way, there is no such run, or the disk is full.
        """
        if not self._ballast.ensure():
            raise StoreError("store.disk-full")
        values = (self.token, as_json(config), as_json(request), time.time(), run)
        # another telling begins, so that every page reads it anew
        change = f"""
            UPDATE runs SET state = 'queued', activity = '', code = '', message = '', remedy = '', "values" = '{{}}',
                owner = ?, config = ?, request = ?, seen = ?, ended = NULL, deleted = NULL,
                revision = abs(random() % 1000000000)
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

    # ---- a run of another home ----

    def bring(self, head: dict[str, Any], rows: Iterable[tuple[str, list[Any]]]) -> int:
        """Adds a run that has ended with all that it told, as `whole` has it, and returns its id.

        What was told is recorded once more. Until all of it is here the run lies in the bin.

        Raises:
            StoreError: it could not be written; then nothing of it is left.
        """
        if not self._ballast.ensure():
            raise StoreError("store.disk-full")
        run = self._writer.do(lambda db: coming.begin(db, self.token))
        try:
            for batch in coming.batches(run, rows):
                self._writer.do(partial(coming.tell, recorder=self._recorder, events=batch))
            self._writer.do(lambda db: coming.end(db, run, head))
        except BaseException:
            with suppress(StoreError):
                self._writer.do(lambda db: keeping.purge(db, [run]), timeout=LONGEST_PURGE)
            raise
        finally:
            with suppress(StoreError):
                self._writer.do(lambda _: self._recorder.let_go(run))
        return run

    # ---- what people do with runs that are there ----

    def annotate(
        self, run: int, *, tags: Sequence[str] | None = None, notes: str | None = None, title: str | None = None
    ) -> None:
        """Keeps what is said of a run; what is None stays as it was.

        Raises:
            StoreError: there is no such run, or it is too much or too long.
        """
        values: dict[str, str] = {}
        if tags is not None:
            values["tags"] = json.dumps(keeping.checked_tags(tags), ensure_ascii=False)
        if notes is not None:
            values["notes"] = keeping.checked_notes(notes)
        if title is not None:
            values["title"] = keeping.checked_title(title)
        self._writer.do(lambda db: keeping.annotate(db, run, values))

    def delete(self, runs: Sequence[int]) -> None:
        """Puts runs into the bin, all of them or none; `restore` takes them out again.

        Raises:
            StoreError: one is under way, here or in another program, or there is none of that number.
        """
        self._interrupt_dead()
        self._writer.do(lambda db: keeping.delete(db, runs))

    def restore(self, runs: Sequence[int]) -> None:
        """Takes runs out of the bin.

        Raises:
            StoreError: there is none of that number.
        """
        self._writer.do(lambda db: keeping.restore(db, runs))

    def purge(self, runs: Sequence[int]) -> None:
        """Deletes runs in the bin for good, all or none: what they said, and their folders.

        Raises:
            StoreError: one is not in the bin or is under way, there is none of that number, or a folder can't go.
        """
        self._interrupt_dead()
        self._writer.do(lambda db: keeping.purge(db, runs), timeout=LONGEST_PURGE)
        for run in runs:
            folder = self.home / "runs" / str(run)
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as problem:
                raise StoreError("history.not-removed", path=folder, reason=problem.strerror or problem) from None

    # ---- runs of programs that have died ----

    def lives(self, token: str) -> bool:
        """Whether the program with the store of this `token` is alive, on this home; never too soon that it is not."""
        return self._owners.alive(token)

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
