"""Every lesson runs headless to its conclusion, which follows from what was measured there and then."""

from __future__ import annotations

import time
from typing import Any

import pytest

from engine.lessons import LESSONS, Lessons, told
from engine.session import Session

PATIENCE = 1200.0
"""Seconds that a lesson may take where others use the machine too; alone it takes a minute or less."""

TAUGHT: dict[str, list[str]] = {
    "why": ["activations", "peak"],
    "same-update": ["exact", "together"],
    "scaling-trap": ["uneven", "gradient-off"],
    "targets": ["shift", "packed-same", "by-task", "stock-other"],
    "not-faster": ["same-work"],
    "tail": ["tail", "fewer-updates", "dropped"],
    "learning-rate": [],
    "memory": ["fills", "checkpointing", "lora"],
    "stock-trainer": ["wrong", "ours-exact"],
}
"""What must come out on any machine; of the other sentences, which are about speed, losses and noise, any may."""


def done(session: Session, name: str) -> dict[str, Any]:
    """The state of the lesson at its end."""
    lessons = Lessons(session, session.store)
    lessons.start(name)
    deadline = time.monotonic() + PATIENCE
    while (state := lessons.state(name))["state"] == "working" and time.monotonic() < deadline:
        time.sleep(0.5)
    return state


def test_each_lesson_is_run_by_a_test() -> None:
    assert list(TAUGHT) == list(LESSONS)


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 60)
@pytest.mark.parametrize("name", TAUGHT)
def test_a_lesson_comes_to_its_conclusion(session: Session, name: str) -> None:
    state = done(session, name)
    assert (state["state"], state["fault"]) == ("done", None)
    assert [part["state"] for part in state["parts"]] == ["finished"] * len(LESSONS[name].parts)
    assert all(part["share"] == 1.0 and part["seconds"] > 0 and part["found"] for part in state["parts"])
    said = [sentence["name"].rpartition(".")[2] for sentence in state["conclusion"]]
    assert said and [code for code in said if code in TAUGHT[name]] == TAUGHT[name]
    for sentence in state["conclusion"]:
        assert "–" not in told(sentence["name"], sentence["values"])
    rows, columns = state["figures"]["rows"], state["figures"]["columns"]
    if name == "learning-rate":
        # what its question calls right: the same rate ends higher; and a scaled one wins some of it back
        small, same, *scaled = [row[-1] for row in rows]
        assert small < min(scaled) < max(scaled) < 0.9 * same
    assert rows and all(len(row) == len(columns) and None not in row for row in rows)
    assert all(series["y"] for series in state["chart"]["series"])
