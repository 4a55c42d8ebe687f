"""What the teacher's page asks of the class. Its server lets nobody call these without the teacher's login."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from gui.answers import Asked, ServerFunction, answer
from gui.classroom.teacher import Classroom


def server_functions(classroom: Classroom) -> list[ServerFunction]:
    def class_state(request: Any) -> Response:
        """→ what the tab shows."""
        return answer(classroom.state)

    def class_allow(request: Any) -> Response:
        """`{allowed}` → the state: whether students may run experiments of their own."""
        return answer(lambda: _allow(classroom, Asked(request)))

    def class_show(request: Any) -> Response:
        """`{run}` → the state, or `{fault}`: the run that students see; null: the current one."""
        return answer(lambda: _show(classroom, Asked(request)))

    def class_stop(request: Any) -> Response:
        """`{number}` → the state: an experiment is taken out of the queue, or stopped."""
        return answer(lambda: _stop(classroom, Asked(request)))

    return [class_state, class_allow, class_show, class_stop]


def _allow(classroom: Classroom, asked: Asked) -> dict[str, Any]:
    classroom.allow(asked.yes("allowed"))
    return classroom.state()


def _show(classroom: Classroom, asked: Asked) -> dict[str, Any]:
    classroom.pin(asked.number("run"))
    return classroom.state()


def _stop(classroom: Classroom, asked: Asked) -> dict[str, Any]:
    classroom.stop(asked.number("number") or 0)
    return classroom.state()
