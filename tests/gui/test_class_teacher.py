"""The teacher's side of a class goes on whatever students send, and whatever one look at it meets."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gui.classroom import teacher
from gui.classroom.teacher import MOST_REFUSED, Classroom
from tests.engine.store_runs import open_store

REFUSED = {"wish": {"model": "none"}, "place": "10.0.0.9"}


@pytest.fixture
def classroom(tmp_path: Path) -> Iterator[Classroom]:
    with open_store(tmp_path) as store:
        opened = Classroom(None, store, host="127.0.0.1", local=True)  # type: ignore[arg-type]
        yield opened
        opened.close()


def test_refusals_are_told_while_others_are_heard(classroom: Classroom) -> None:
    interval = sys.getswitchinterval()
    over = threading.Event()

    def flood() -> None:
        number = 0
        while not over.is_set():
            number += 1
            classroom._heard({**REFUSED, "head": f"{number:064}"})

    student = threading.Thread(target=flood)
    sys.setswitchinterval(1e-6)
    student.start()
    try:
        until = time.monotonic() + 1
        while time.monotonic() < until:
            assert len(classroom._with_refusals({})) <= MOST_REFUSED
    finally:
        over.set()
        student.join()
        sys.setswitchinterval(interval)


def test_what_one_look_meets_does_not_end_the_class(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks: list[Any] = []
    seen = threading.Event()

    def go_on() -> None:
        looks.append(None)
        if len(looks) == 1:
            raise OSError("no process can be started")
        seen.set()

    monkeypatch.setattr(teacher, "TURN", 0.01)
    monkeypatch.setattr(classroom._wishes, "go_on", go_on)
    classroom._thread.start()
    assert seen.wait(10)
    assert "no process can be started" in caplog.text
