"""A home folder that can't be used, and a disk that fills up."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.events import StateChanged
from engine.store import Store, schema, writer
from engine.store.ballast import SIZE
from engine.store.writer import _Job
from tests.engine.store_runs import micro_batch, open_store, running, sample, update


def refusal(home: Path) -> StoreError:
    with pytest.raises(StoreError) as told:
        Store(home)
    assert str(home) in told.value.line and "Error" not in told.value.line
    return told.value


# ---- a home that can't be one ----


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    assert refusal(tmp_path / "home").code == "store.not-a-folder"
    assert refusal(tmp_path / "home" / "below").code == "store.not-a-folder"
    assert (tmp_path / "home").read_text() == "no folder"


def test_a_home_that_can_not_be_written_is_refused(tmp_path: Path) -> None:
    # as a user without rights: for root every folder can be written
    program = """
import os, sys
from pathlib import Path
from engine.errors import StoreError
from engine.store import Store
if os.geteuid() == 0:
    os.setuid(65534)
try:
    Store(Path(sys.argv[1]))
except StoreError as told:
    print(told.code)
"""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o500)
    told = subprocess.run([sys.executable, "-c", program, home], capture_output=True, text=True)
    home.chmod(0o700)
    assert (told.stdout, told.stderr) == ("store.not-writable\n", "")


def test_a_damaged_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "birikim.sqlite"
    path.write_bytes(b"not a database, whatever its name says " * 100)
    before = path.read_bytes()
    assert refusal(tmp_path).code == "store.corrupt"
    assert path.read_bytes() == before


def test_damage_that_is_met_later_is_told_in_words(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        for number in range(1, 5001):
            store.write(update(run, number))
    path = tmp_path / "birikim.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xaa" * (len(whole) - 8192))
    with pytest.raises(StoreError) as told, open_store(tmp_path) as store:
        store.updates(run)
    assert told.value.code == "store.corrupt"


def test_a_database_of_a_newer_birikim_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with closing_connection(tmp_path) as db:
        db.execute("PRAGMA user_version = 99")
    told = refusal(tmp_path)
    assert told.code == "store.newer" and "99" in told.message
    with closing_connection(tmp_path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (99,)


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with closing_connection(tmp_path) as db:
        db.execute("CREATE TABLE theirs (x)")
    assert refusal(tmp_path).code == "store.foreign"
    with closing_connection(tmp_path) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_folder_in_the_place_of_the_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "birikim.sqlite").mkdir()
    assert refusal(tmp_path).code == "store.cannot-open"


def test_a_refused_home_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "birikim.sqlite"
    path.write_bytes(b"x" * 5000)
    refusal(tmp_path)
    assert list((tmp_path / "owners").iterdir()) == []
    path.unlink()
    Store(tmp_path).close()


def test_a_home_of_an_odd_name_is_a_home(tmp_path: Path) -> None:
    home = tmp_path / "ev #1 %41 çağ?mode=ro"
    with open_store(home) as store:
        run = store.create_run({})
        assert store.run(run).state == "queued"
    assert (home / "birikim.sqlite").exists()


@contextmanager
def closing_connection(home: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(home / "birikim.sqlite", isolation_level=None)
    try:
        yield db
    finally:
        db.close()


# ---- a disk that fills up ----


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A file system of `size` bytes at `folder`; False where this user may not mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def small_database(monkeypatch: pytest.MonkeyPatch, pages: int) -> Iterator[None]:
    """Lets the database grow to `pages` pages and no further."""

    def bounded(path: Path) -> sqlite3.Connection:
        db = schema.open_for_writing(path)
        db.execute(f"PRAGMA max_page_count = {pages}")
        return db

    with monkeypatch.context() as patch:
        patch.setattr(writer, "open_for_writing", bounded)
        yield


def fill(store: Store, run: int) -> int:
    """Trains until the disk is full; the number of the last update that was surely kept."""
    kept = 0
    try:
        for number in range(1, 10**6):
            for index in range(1, 5):
                store.write(micro_batch(run, number, index))
            store.write(update(run, number))
            if number % 10 == 0:
                store.flush()
                kept = number
    except StoreError as told:
        assert told.code == "store.disk-full"
    return kept


def ends_as_it_should(store: Store) -> None:
    run = running(store)
    kept = fill(store, run)
    assert kept > 0
    # from now on only the closing word is taken
    for refused in (lambda: store.write(sample(run, 1.0)), store.flush):
        with pytest.raises(StoreError) as told:
            refused()
        assert told.value.code == "store.disk-full"
    store.write(StateChanged(run=run, state="failed", code=told.value.code, message=told.value.message))
    store.flush()
    found = store.run(run)
    assert (found.state, found.code) == ("failed", "store.disk-full")
    assert found.update >= kept
    assert [row["update"] for row in store.updates(run)] == list(range(1, found.update + 1))


def test_a_database_that_can_not_grow_ends_the_run_with_that_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_database(monkeypatch, pages=60), open_store(tmp_path) as store:
        assert (tmp_path / "ballast").stat().st_size == SIZE
        ends_as_it_should(store)
        assert not (tmp_path / "ballast").exists()
    # space is found again
    with open_store(tmp_path) as store:
        assert (tmp_path / "ballast").stat().st_size == SIZE
        assert store.runs()[0].state == "failed"
        again = running(store)
        store.write(update(again, 1))
        store.flush()


def test_a_full_disk_ends_the_run_with_that_word_and_each_that_waits_too(tmp_path: Path) -> None:
    disk, hog = tmp_path / "disk", tmp_path / "disk" / "hog"
    with small_disk(disk, 6 * 2**20) as mounted:
        if not mounted:
            pytest.skip("this user may not mount a small disk; the test above fills a database instead")
        with open_store(disk) as store:
            waiting = [store.create_run({}) for _ in range(5)]
            ends_as_it_should(store)
            assert not (disk / "ballast").exists()
            # the next runs could not say how they end, so they don't begin; but that can be said
            for run in waiting:
                store.write(StateChanged(run=run, state="loading"))
                with pytest.raises(StoreError, match="full"):
                    store.flush()
                store.write(StateChanged(run=run, state="failed", code="store.disk-full"))
                store.flush()
            with pytest.raises(StoreError, match="full"):
                store.create_run({})
            assert {run.state for run in store.runs()} == {"failed"}
        hog.write_bytes(b"x" * (free(disk) - SIZE))
        with open_store(disk) as store:
            assert len(store.runs()) == 6 and not (disk / "ballast").exists()
            with pytest.raises(StoreError, match="full"):
                store.create_run({})
            hog.unlink()
            store.write(StateChanged(run=store.create_run({}), state="loading"))
            store.flush()
            assert (disk / "ballast").exists()


def free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def test_the_state_that_ends_a_run_is_never_written_over_what_was_lost(tmp_path: Path, monkeypatch: Any) -> None:
    with small_database(monkeypatch, pages=60), open_store(tmp_path) as store:
        run = running(store)
        fill(store, run)
        # the next events are refused even though a little space may be left for them
        for number in (1, 2, 3):
            with pytest.raises(StoreError):
                store.write(update(run, 10_000 + number))
        store.write(StateChanged(run=run, state="failed"))
        store.flush()
        assert store.run(run).update < 10_000


def test_a_database_that_another_program_keeps_locked_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BUSY", 0.05)
    with open_store(tmp_path) as store, closing_connection(tmp_path) as other:
        run = running(store)
        store.flush()
        other.execute("BEGIN IMMEDIATE")
        store.write(update(run, 1))
        with pytest.raises(StoreError) as told:
            store.flush(timeout=0.3)
        assert told.value.code == "store.busy"
        assert store.run(run).update == 0
        other.execute("ROLLBACK")
        store.flush()
        assert store.run(run).update == 1


# ---- a job that fails ----


def test_a_job_that_fails_leaves_nothing_and_harms_no_other(tmp_path: Path) -> None:
    def wrong(db: sqlite3.Connection) -> None:
        store._recorder.record(db, update(run, 2, loss=9.0))
        db.execute("UPDATE runs SET title = 'written' WHERE id = ?", (run,))
        raise ValueError("of this job alone")

    def hold(_: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(30)

    def titled(db: sqlite3.Connection) -> str:
        db.execute("UPDATE runs SET notes = 'next' WHERE id = ?", (run,))
        return str(db.execute("SELECT title FROM runs WHERE id = ?", (run,)).fetchone()[0])

    with open_store(tmp_path) as store:
        run = running(store)
        store.flush()
        begun, go_on = threading.Event(), threading.Event()
        store._writer._enqueue(_Job(hold))
        assert begun.wait(30)
        # all of this stands in the queue before the writer takes the next batch
        store.write(update(run, 1, loss=0.5))
        bad, good = _Job(wrong), _Job(titled)
        store._writer._enqueue(bad)
        store.write(update(run, 2, loss=0.25))
        store._writer._enqueue(good)
        go_on.set()
        with pytest.raises(ValueError, match="of this job alone"):
            bad.outcome.result(30)
        assert good.outcome.result(30) == ""
        store.flush()
        assert [row["loss"] for row in store.updates(run)] == [0.5, 0.25]
        assert (store.run(run).title, store.run(run).notes, store.run(run).state) == ("", "next", "running")
        store.write(update(run, 3))
        store.flush()
        assert store.run(run).update == 3


def test_a_value_that_sqlite_can_t_take_is_its_job_s_alone(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        with pytest.raises(UnicodeEncodeError):
            store._writer.do(lambda db: db.execute("UPDATE runs SET notes = ?", ("\ud800",)))
        with pytest.raises(OverflowError):
            store._writer.do(lambda db: db.execute("UPDATE runs SET seen = ?", (2**70,)))
        with pytest.raises(sqlite3.IntegrityError):
            store._writer.do(lambda db: db.execute("UPDATE runs SET state = NULL"))
        store.write(update(run, 1))
        store.flush()
        assert store.run(run).update == 1


def test_what_is_refused_has_written_nothing(tmp_path: Path) -> None:
    def refuses(db: sqlite3.Connection) -> None:
        db.execute("UPDATE runs SET title = 'written'")
        raise StoreError("store.no-run", run=7)

    with open_store(tmp_path) as store:
        run = running(store)
        with pytest.raises(StoreError, match="no run 7"):
            store._writer.do(refuses)
        assert store.run(run).title == ""


def test_a_trouble_of_the_disk_in_a_job_is_everyone_s(tmp_path: Path) -> None:
    def full(_: sqlite3.Connection) -> None:
        raise OSError(28, "No space left on device")

    with open_store(tmp_path) as store:
        run = running(store)
        store.flush()
        with pytest.raises(StoreError) as told:
            store._writer.do(full)
        assert told.value.code == "store.disk-full"
        with pytest.raises(StoreError):
            store.write(update(run, 1))
