"""The table by which the browser keeps choices fitting; what it does with it is tried in a browser."""

from __future__ import annotations

from engine import TASKS
from gui import fit


def test_every_task_has_a_model_and_data_to_move_to() -> None:
    for kind, served in fit.for_page().items():
        for task in TASKS:
            assert any(task in tasks for tasks in served.values()), (kind, task)


def test_no_model_or_data_is_without_a_task() -> None:
    assert all(tasks for served in fit.for_page().values() for tasks in served.values())
