"""Keeps model, data and task fitting each other: what one choice rules out moves, and is said."""

from __future__ import annotations

from typing import Literal

from engine import DATASETS, MODELS, TASKS
from gui.arithmetic import Phrase, phrase

Mover = Literal["model", "data", "task"]


def fitting(mover: Mover, model: str, data: str, task: str) -> tuple[str, str, str, list[Phrase]]:
    """Model, data and task after `mover` was chosen, and the phrases that say what else has moved.

    What was chosen stays. A model or data of the user's own is taken to fit: only the files can tell.
    """
    said: list[Phrase] = []
    if mover != "task" and task not in (tasks := _tasks_of(mover, model if mover == "model" else data)):
        said.append(phrase("fit.task", task=tasks[0], before=task, chosen=model if mover == "model" else data))
        task = tasks[0]
    if mover != "data" and task not in _tasks_of("data", data):
        before, data = data, next(name for name in DATASETS if task in _tasks_of("data", name))
        said.append(phrase("fit.data", data=data, before=before, task=task))
    if mover != "model" and task not in _tasks_of("model", model):
        before, model = model, next(name for name in MODELS if task in _tasks_of("model", name))
        said.append(phrase("fit.model", model=model, before=before, task=task))
    return model, data, task, said


def _tasks_of(kind: Mover, name: str) -> list[str]:
    built_in = (MODELS if kind == "model" else DATASETS).get(name)
    return list(built_in.tasks) if built_in else list(TASKS)
