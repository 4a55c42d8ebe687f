"""The end of a program, whatever its session is at."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from engine.config import RunConfig
from engine.events import StateChanged
from engine.session import Session
from engine.store import Run, Store

TINY = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums", "max_length": 24}}


@pytest.mark.parametrize("state", ["loading", "running"])
def test_the_end_waits_for_a_training_and_hardly_for_what_is_still_loading(
    state: Any, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, loaded = threading.Event(), threading.Event()
    saved: list[int] = []

    def execute(run: Run, store: Store, *_: Any) -> None:
        store.write(StateChanged(run=run.id, state=state))
        store.flush()
        entered.set()
        if state == "loading":
            loaded.wait(60)
            return
        time.sleep(1)
        saved.append(run.id)
        store.write(StateChanged(run=run.id, state="stopped", code="run.stopped"))
        store.flush()

    monkeypatch.setattr("engine.session.session._runner", lambda: execute)
    session = Session(store)
    session.start()
    run = session.submit(RunConfig.from_dict(TINY))
    assert entered.wait(30)
    session.close(nothing_to_save=0.1)
    assert session._thread.is_alive() is (state == "loading")
    assert store.run(run).state == "stopped"
    assert saved == ([run] if state == "running" else [])
    loaded.set()
    session.close()


def test_the_end_does_not_wait_for_libraries_that_are_loading(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = threading.Event()
    monkeypatch.setattr("engine.session.session._runner", lambda: loaded.wait(60))
    session = Session(store)
    session.start()
    run = session.submit(RunConfig.from_dict(TINY))
    session.close(nothing_to_save=0.1)
    assert session._thread.is_alive() and store.run(run).state == "stopped"
    loaded.set()
    session.close()
    assert not session._thread.is_alive()
