"""A store opened for reading alone, runs that stand aside, and a process beside the program."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.answering import Beside
from engine.errors import StoreError
from engine.events import StateChanged
from engine.store import ASIDE, Store, StoreReader
from engine.store.schema import FILE, open_for_reading
from tests.engine.store_runs import open_store, running, update


def test_a_reader_sees_what_the_program_writes_as_the_program_does(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        reader = StoreReader(tmp_path, store.token)
        try:
            store.write(update(run, 1))
            store.flush()
            assert reader.read(run) == store.read(run)
            current = reader.current_run()
            assert current is not None
            assert current.owned
            cursor = reader.read(run)["cursor"]
            store.write(update(run, 2))
            store.flush()
            assert reader.read(run, cursor)["updates"]["update"] == [2]
        finally:
            reader.close()


def test_a_reader_has_no_method_that_writes_and_its_file_takes_no_write(tmp_path: Path) -> None:
    writing = {name for name in vars(Store) if not name.startswith("_")}
    assert writing == {
        *("close", "create_run", "queue_again", "write", "flush", "send", "take_commands"),
        *("annotate", "delete", "restore", "purge", "bring", "lives"),
    }
    assert not {name for name in writing - {"close"} if hasattr(StoreReader, name)}
    with open_store(tmp_path) as store:
        running(store)
        store.flush()
        connection = open_for_reading(tmp_path / FILE, read_only=True)
        try:
            connection.execute("PRAGMA query_only = OFF")
            with pytest.raises(Exception, match="readonly"):
                connection.execute("DELETE FROM runs")
        finally:
            connection.close()


def test_a_reader_of_a_folder_without_a_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        StoreReader(tmp_path, "").current_run()
    assert not (tmp_path / FILE).exists()


def test_a_run_that_stands_aside_is_never_the_current_one(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        assert store.current_run() is None
        aside = store.create_run({}, name=f"{ASIDE}Ada")
        assert store.current_run() is None
        own = store.create_run({})
        store.write(StateChanged(run=aside, state="running"))
        store.write(StateChanged(run=own, state="finished"))
        store.flush()
        current = store.current_run()
        assert current is not None
        assert current.id == own
        assert [run.id for run in store.runs()] == [own, aside]


ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n"


class Heard:
    """What a process said, once there is so much of it."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self._more = threading.Condition()

    def __call__(self, message: dict[str, Any]) -> None:
        with self._more:
            self.messages.append(message)
            self._more.notify_all()

    def wait(self, many: int) -> list[dict[str, Any]]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.messages) >= many, 20)
            return self.messages


def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, heard: Heard) -> Beside:
    (tmp_path / "echoing.py").write_text(script)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Beside("echoing", [], heard)


def test_a_process_beside_hears_and_is_heard_and_ends_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    process = beside(tmp_path, monkeypatch, ECHO, heard)
    process.tell({"one": 1})
    process.tell({"name": "şğı"})
    assert heard.wait(2) == [{"one": 1}, {"name": "şğı"}]
    assert process.alive
    process.close()
    assert not process.alive
    process.tell({"late": True})
    process.close()


@pytest.mark.parametrize("said", ["no json", "[1]", "{" * 70_000])
def test_a_process_that_says_something_else_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    heard = Heard()
    process = beside(tmp_path, monkeypatch, f"import time\nprint({said!r}, flush=True)\ntime.sleep(60)\n", heard)
    deadline = time.monotonic() + 20
    while process.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.alive
    assert not heard.messages
    process.close()
