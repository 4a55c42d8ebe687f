"""The page goes on with a run that was left: what its server functions answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Store, StoreError
from engine.events import FactsGrew, StateChanged
from engine.store.checkpoint_files import written
from gui.live import server_functions
from tests.engine.store_runs import open_store, update
from tests.engine.test_checkpoint_files import mark
from tests.gui.asking import Ask, asking
from tests.gui.test_live import CONFIG


class Resuming:
    """A session that only remembers what it was told."""

    def __init__(self) -> None:
        self.resumed: list[int] = []

    def resume(self, run: int) -> int:
        if run == 99:
            raise StoreError("resume.no-checkpoint", run=run)
        self.resumed.append(run)
        return run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def session() -> Resuming:
    return Resuming()


@pytest.fixture
def ask(store: Store, session: Resuming) -> Ask:
    return asking(server_functions(session, store))  # type: ignore[arg-type]


def stopped(store: Store, *saved: int) -> int:
    run = store.create_run(CONFIG)
    store.write(StateChanged(run=run, state="running"))
    store.write(update(run, 1))
    store.write(StateChanged(run=run, state="stopped", code="run.stopped"))
    store.flush()
    for number in saved:
        with written(store.home / "runs" / str(run) / "checkpoints", mark(number)):
            pass
    return run


def test_of_a_run_that_has_ended_the_last_whole_checkpoint_on_disk_is_told(ask: Ask, store: Store) -> None:
    run = stopped(store, 20, 40)
    assert ask("deltas", {"run": run, "cursor": ""})["run"]["checkpoint"] == 40
    (store.home / "runs" / str(run) / "checkpoints" / "checkpoint-40" / "mark.json").unlink()
    assert ask("deltas", {"run": run, "cursor": ""})["run"]["checkpoint"] == 20
    assert ask("deltas", {"run": stopped(store), "cursor": ""})["run"]["checkpoint"] is None


def test_of_a_run_under_way_what_it_said_is_told(ask: Ask, store: Store) -> None:
    run = store.create_run(CONFIG)
    store.write(StateChanged(run=run, state="running"))
    store.flush()
    assert ask("deltas", {"run": run, "cursor": ""})["run"]["checkpoint"] is None
    store.write(FactsGrew(run=run, facts={"checkpoints": [5, 10]}))
    store.flush()
    assert ask("deltas", {"run": run, "cursor": ""})["run"]["checkpoint"] == 10


def test_resume_run_reaches_the_session(ask: Ask, session: Resuming) -> None:
    assert ask("resume_run", {"run": 3}) == {}
    assert session.resumed == [3]


@pytest.mark.parametrize("argument", [None, [], {}, {"run": "3"}, {"run": -1}, {"run": True}, {"run": 99}])
def test_what_can_t_go_on_is_a_fault_in_words(argument: Any, ask: Ask, session: Resuming) -> None:
    fault = ask("resume_run", argument)["fault"]
    assert fault["message"] and fault["code"] in ("store.which-run", "resume.no-checkpoint")
    assert session.resumed == []
