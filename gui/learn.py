"""What the Learn tab asks the program for: a lesson as far as it has come, to start it and to stop it."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import Lessons
from gui.answers import Asked, ServerFunction, answer
from gui.faults import words_of

RIGHT: dict[str, tuple[int, int]] = {
    "why": (4, 2),
    "same-update": (4, 2),
    "scaling-trap": (4, 3),
    "targets": (4, 3),
    "not-faster": (3, 3),
    "tail": (4, 3),
    "learning-rate": (4, 3),
    "memory": (4, 1),
    "stock-trainer": (4, 2),
}
"""The lessons in order: how many answers the question of each has, and which one is right, counted from 1."""


def for_page() -> list[dict[str, Any]]:
    """The lessons in order, of each its `name`, its number of `answers` and the `right` one."""
    return [{"name": name, "answers": answers, "right": right} for name, (answers, right) in RIGHT.items()]


def server_functions(lessons: Lessons) -> list[ServerFunction]:
    def lesson_state(request: Any) -> Response:
        """`{lesson}` → as `Lessons.state`, and `ahead`: whether it waits for a work that is not its own."""
        return answer(lambda: _state(lessons, Asked(request).text("lesson")))

    def lesson_start(request: Any) -> Response:
        """`{lesson}` → `{}`, or `{fault}`: its parts are queued."""
        return answer(lambda: _done(lessons.start, Asked(request)))

    def lesson_stop(request: Any) -> Response:
        """`{lesson}` → `{}`, or `{fault}`: the part under way is stopped, and those that wait are dropped."""
        return answer(lambda: _done(lessons.stop, Asked(request)))

    return [lesson_state, lesson_start, lesson_stop]


def _done(act: Any, asked: Asked) -> dict[str, Any]:
    act(asked.text("lesson"))
    return {}


def _state(lessons: Lessons, name: str) -> dict[str, Any]:
    found = lessons.state(name)
    if fault := found["fault"]:
        message, remedy = words_of(fault["code"], fault["values"])
        fault = {**fault, "message": fault["message"] or message, "remedy": fault["remedy"] or remedy}
    now = lessons.store.at_work() if found["state"] == "working" else None
    own = {part["run"] for part in found["parts"]}
    return {**found, "fault": fault, "ahead": now is not None and now.id not in own}
