"""Programs that share a home folder, and programs that are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.events import StateChanged
from engine.store import Store
from engine.store import store as store_module
from tests.engine.store_runs import open_store, running, update

REPOSITORY = Path(__file__).parents[2]

BEGIN = """
import os, signal, sys, threading, time
from pathlib import Path
from engine.events import StateChanged
from engine.store import Store
from tests.engine.store_runs import micro_batch, running, sample, update
store = Store(Path(sys.argv[1]))
"""

UNTIL_KILLED = f"""{BEGIN}
run = running(store)
store.create_run({{}}, name="waits")
store.flush()
print(run, flush=True)
while True:
    time.sleep(0.02)
    for command in store.take_commands(run):
        print(command, flush=True)
        if command == "stop":
            store.write(StateChanged(run=run, state="stopped"))
            store.flush()
"""

KILLS_ITSELF = f"""{BEGIN}
run = running(store)
def chatter():
    while True:
        store.write(sample(run, 1.0))
        time.sleep(0.001)
threading.Thread(target=chatter, daemon=True).start()
for number in range(1, int(sys.argv[2]) + 1):
    for index in (1, 2, 3, 4):
        store.write(micro_batch(run, number, index))
    store.write(update(run, number))
store.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""

LEAVES_WITHOUT_CLOSING = f"""{BEGIN}
run = running(store)
for number in range(1, 1001):
    store.write(update(run, number))
"""

WRITES = f"""{BEGIN}
sys.stdin.readline()
for _ in range(5):
    run = running(store)
    for number in range(1, 101):
        store.write(update(run, number))
        if number % 5 == 0:
            store.flush()
    store.write(StateChanged(run=run, state="finished"))
store.close()
"""


def start(program: str, home: Path, *values: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(home), *map(str, values)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )


@contextmanager
def another_program(home: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A living program with a run under way, and one in its queue."""
    with start(UNTIL_KILLED, home) as program:
        try:
            assert program.stdout is not None
            yield program, int(program.stdout.readline())
        finally:
            program.kill()


def states(store: Store) -> dict[str, str]:
    """The code of each run that was interrupted, else its state, by name."""
    return {run.name or "trains": run.code if run.state == "interrupted" else run.state for run in store.runs()}


def within_seconds(store: Store, wanted: dict[str, str]) -> bool:
    deadline = time.monotonic() + 20
    while states(store) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    return states(store) == wanted


@pytest.mark.parametrize("updates", [1, 3, 50, 500, 2000])
def test_nothing_flushed_is_lost_when_the_program_is_killed_right_after(tmp_path: Path, updates: int) -> None:
    for earlier in range(3):
        with start(KILLS_ITSELF, tmp_path, updates) as program:
            program.communicate(timeout=120)
        assert program.returncode == -signal.SIGKILL
        with open_store(tmp_path) as store:
            assert len(store.runs()) == earlier + 1
            run = store.runs()[0]
            assert (run.state, run.code, run.update) == ("interrupted", "run.interrupted", updates)
            assert [row["update"] for row in store.updates(run.id)] == list(range(1, updates + 1))
            assert len(store.micro_batches(run.id)) == 4 * updates
            assert store.read(run.id)["updates"]["update"][-1] == updates


def test_a_program_that_ends_without_closing_still_writes_all(tmp_path: Path) -> None:
    with start(LEAVES_WITHOUT_CLOSING, tmp_path) as program:
        program.communicate(timeout=60)
    assert program.returncode == 0
    with open_store(tmp_path) as store:
        assert (store.runs()[0].update, store.runs()[0].state) == (1000, "interrupted")


def test_a_run_of_a_living_program_is_left_alone_and_of_a_killed_one_is_interrupted(tmp_path: Path) -> None:
    with another_program(tmp_path) as (program, run):
        with open_store(tmp_path) as store:
            assert states(store) == {"trains": "running", "waits": "queued"}
            found = store.run(run)
            assert not found.owned and store.next_queued() is None
        program.kill()
        program.wait()
        with open_store(tmp_path) as store:
            assert states(store) == {"trains": "run.interrupted", "waits": "run.never-started"}
            found = store.run(run)
            assert found.message and found.remedy and found.activity == ""
            # it ended with its last sign of life
            assert found.started is not None and found.ended is not None
            assert found.started <= found.ended <= time.time()


@pytest.mark.slow
def test_a_second_program_sees_within_a_moment_that_the_first_was_killed(tmp_path: Path) -> None:
    with another_program(tmp_path) as (program, run), open_store(tmp_path) as store:
        own = running(store)
        time.sleep(1.2 * store_module.LOOK_AROUND)
        assert store.read(run)["run"]["state"] == "running"
        program.kill()
        program.wait()
        deadline = time.monotonic() + 20
        while store.read(run)["run"]["state"] == "running" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert store.read(run)["run"]["code"] == "run.interrupted"
        assert store.run(own).state == "running"


def test_a_program_that_closes_its_store_leaves_no_run_behind_as_running(tmp_path: Path) -> None:
    with open_store(tmp_path) as page:
        with open_store(tmp_path) as store:
            running(store)
            store.create_run({}, name="waits")
            store.flush()
            assert states(page) == {"trains": "running", "waits": "queued"}
        assert within_seconds(page, {"trains": "run.interrupted", "waits": "run.never-started"})


def test_a_command_reaches_the_program_that_trains(tmp_path: Path) -> None:
    with another_program(tmp_path) as (program, run), open_store(tmp_path) as store:
        store.send(run, "pause")
        store.send(run, "stop")
        assert program.stdout is not None
        assert [program.stdout.readline().strip() for _ in range(2)] == ["pause", "stop"]
        assert within_seconds(store, {"trains": "stopped", "waits": "queued"})


def test_lock_files_of_dead_programs_are_cleared_away_and_of_living_ones_stay(tmp_path: Path) -> None:
    locks = tmp_path / "owners"
    with another_program(tmp_path) as (program, _):
        (locks / "left-over.lock").touch()
        with open_store(tmp_path):
            assert len(list(locks.iterdir())) == 2
        program.kill()
        program.wait()
        with open_store(tmp_path):
            assert len(list(locks.iterdir())) == 1


def test_a_run_whose_lock_file_is_gone_is_interrupted(tmp_path: Path) -> None:
    # as in a home folder that was copied to another machine
    with another_program(tmp_path) as (program, _):
        program.kill()
        program.wait()
    for lock in (tmp_path / "owners").iterdir():
        lock.unlink()
    with open_store(tmp_path) as store:
        assert states(store) == {"trains": "run.interrupted", "waits": "run.never-started"}


def test_programs_that_open_and_write_at_once_do_not_hinder_each_other(tmp_path: Path) -> None:
    programs = [start(WRITES, tmp_path) for _ in range(4)]
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        program.communicate(timeout=120)
    assert [program.returncode for program in programs] == [0] * 4
    with open_store(tmp_path) as store:
        assert [(run.state, run.update) for run in store.runs()] == [("finished", 100)] * 20


def test_a_run_is_resumed_by_another_program_where_it_was_left(tmp_path: Path) -> None:
    with start(KILLS_ITSELF, tmp_path, 100) as program:
        program.communicate(timeout=60)
    with open_store(tmp_path) as store:
        run = store.runs()[0].id
        store.write(StateChanged(run=run, state="loading"))
        # from a checkpoint at update 90
        for number in range(91, 201):
            store.write(update(run, number))
        store.flush()
        found = store.run(run)
        assert (found.state, found.owned, found.code) == ("loading", True, "")
        assert [row["update"] for row in store.updates(run)] == list(range(1, 201))
