"""One thread that owns the write connection and writes what is queued, many events in one transaction."""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import StoreError
from engine.events import ALIVE, Event, MemorySample, MicroBatchDone, StateChanged
from engine.store import faults
from engine.store.ballast import Ballast
from engine.store.recorder import Recorder
from engine.store.schema import open_for_writing

LINGER = 0.05
"""Seconds that a micro-batch or a memory sample waits for company; all else is written at once."""

MOST = 5000
"""Events in one transaction."""

CHECKPOINT = 1000
"""Pages of the log that are carried over into the database at a time: SQLite's own default."""

T = TypeVar("T")


class _Job:
    """Something that a caller waits for. Without an action: that all queued before it is committed."""

    def __init__(self, action: Callable[[sqlite3.Connection], Any] | None) -> None:
        self.action = action
        self.outcome: Future[Any] = Future()


class _End:
    """The last thing in the queue."""


_Item = Event | _Job | _End


class Writer:
    """Takes events from any thread and keeps their order.

    When the file can't be written, the ballast is dropped and everything is refused but the word that a run has
    ended (and the other changes of state before it): that word fits into the space which the ballast leaves.
    """

    def __init__(self, path: Path, recorder: Recorder, ballast: Ballast) -> None:
        self._path = path
        self._recorder = recorder
        self._ballast = ballast
        self._db = open_for_writing(path)
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._failure: StoreError | None = None
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="birikim-store", daemon=True)
        self._thread.start()

    def put(self, event: Event) -> None:
        """Queues an event.

        Raises:
            StoreError: an earlier one could not be written, or the store is closed.
        """
        if self._failure and not isinstance(event, StateChanged):
            raise _again(self._failure)
        self._enqueue(event)

    def flush(self, timeout: float) -> None:
        """Waits until all that was queued before is committed.

        Raises:
            StoreError: some of it could not be written, or it took longer than `timeout` seconds.
        """
        self._wait(_Job(None), timeout)

    def do(self, action: Callable[[sqlite3.Connection], T], timeout: float = 30.0) -> T:
        """What `action` returns, once its transaction is committed; what it raises, and then nothing of it is kept."""
        result: T = self._wait(_Job(action), timeout)
        return result

    def close(self) -> None:
        """Writes what is queued, then ends the thread. Idempotent."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(_End())
        self._thread.join()

    def _enqueue(self, item: _Item) -> None:
        with self._gate:
            if self._closed:
                raise StoreError("store.closed")
            self._queue.put(item)

    def _wait(self, job: _Job, timeout: float) -> Any:
        self._enqueue(job)
        try:
            failure = job.outcome.exception(timeout)
        except TimeoutError:
            raise StoreError("store.busy", path=self._path) from None
        if isinstance(failure, StoreError):
            raise _again(failure)
        return job.outcome.result()

    # ---- in the thread ----

    def _work(self) -> None:
        ended = False
        while not ended:
            batch = self._collect()
            ended = isinstance(batch[-1], _End)
            self._commit(batch)
        self._db.close()

    def _collect(self) -> list[_Item]:
        batch = [self._queue.get()]
        deadline = time.monotonic() + LINGER
        while len(batch) < MOST and not isinstance(batch[-1], _End):
            if not isinstance(batch[-1], MicroBatchDone | MemorySample):
                deadline = 0.0
            try:
                batch.append(self._queue.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                break
        return batch

    def _commit(self, batch: list[_Item]) -> None:
        answers: list[tuple[_Job, Any]] = []
        try:
            self._begin()
            failure = self._write(batch, answers)
            self._db.execute("COMMIT")
        except Exception as problem:
            self._fail(problem, batch)
            return
        self._failure = failure
        for job, answer in answers:
            if isinstance(answer, Exception):
                job.outcome.set_exception(answer)
            else:
                job.outcome.set_result(answer)

    def _begin(self) -> None:
        while True:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as problem:
                # another program is writing for long: only a caller's patience ends the wait
                if faults.primary_code(problem) != sqlite3.SQLITE_BUSY or self._closed:
                    raise

    def _write(self, batch: list[_Item], answers: list[tuple[_Job, Any]]) -> StoreError | None:
        """Returns the failure that still stands after the batch, and adds what the jobs are to be told."""
        failure = self._failure
        runs: set[int] = set()
        for item in batch:
            if isinstance(item, _Job):
                answers.append((item, failure if item.action is None else self._act(item.action)))
            elif not isinstance(item, _End):
                if failure and not isinstance(item, StateChanged):
                    continue
                if isinstance(item, StateChanged) and item.state == "loading":
                    self._begin_run()
                self._recorder.record(self._db, item)
                runs.add(item.run)
                if isinstance(item, StateChanged) and item.state not in ALIVE:
                    failure = None
        now = time.time()
        self._db.executemany("UPDATE runs SET seen = ? WHERE id = ?", [(now, run) for run in runs])
        return failure

    def _begin_run(self) -> None:
        if not self._ballast.ensure():
            # this run could not say how it ended
            raise StoreError("store.disk-full")
        self._db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")

    def _act(self, action: Callable[[sqlite3.Connection], Any]) -> Any:
        """What the action returns, or the exception that is its caller's alone: then it has written nothing.

        A trouble of the disk or of the database as a whole is raised.
        """
        self._db.execute("SAVEPOINT job")
        try:
            answer = action(self._db)
        except Exception as problem:
            if faults.of_all(problem):
                raise
            self._db.execute("ROLLBACK TO job")
            # what is remembered of the rows may have been written by the action
            self._recorder.forget()
            answer = problem
        self._db.execute("RELEASE job")
        return answer

    def _fail(self, problem: Exception, batch: list[_Item]) -> None:
        with suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            # carrying the log over into the database would use up the space that the last words need
            self._db.execute("PRAGMA wal_autocheckpoint = 0")
        self._recorder.forget()
        self._ballast.drop()
        self._failure = faults.told(problem, self._path)
        for item in batch:
            if isinstance(item, _Job):
                item.outcome.set_exception(self._failure)


def _again(failure: StoreError) -> StoreError:
    """A fresh error of the same words: one instance raised in several threads would mix their tracebacks."""
    return StoreError(failure.code, **failure.values)
