"""A task ties together the model class, the collator, the metric and the target rule.

One file a task; `TASKS` is the register by Hub pipeline name. Importing this package imports no torch,
so that a form can be checked before the training libraries are loaded.
"""

from __future__ import annotations

from difflib import get_close_matches

from engine.errors import ConfigError
from engine.tasks.base import Collator, Encoded, Metrics, Task
from engine.tasks.fill_mask import FillMask
from engine.tasks.on_demand import OnDemand, Streamed
from engine.tasks.text_classification import TextClassification
from engine.tasks.text_generation import TextGeneration, next_token_labels, packed
from engine.tasks.text_to_text import TextToText
from engine.tasks.token_classification import TokenClassification

__all__ = [
    "TASKS",
    "Collator",
    "Encoded",
    "Metrics",
    "OnDemand",
    "Streamed",
    "Task",
    "get_task",
    "next_token_labels",
    "packed",
]

TASKS: dict[str, Task] = {
    task.name: task
    for task in (TextGeneration(), TextClassification(), FillMask(), TokenClassification(), TextToText())
}


def get_task(name: str) -> Task:
    """The task called `name`, a Hub pipeline name. Raises ConfigError `task.unknown`."""
    if name in TASKS:
        return TASKS[name]
    near = get_close_matches(name, TASKS, n=1) or list(TASKS)
    raise ConfigError("task.unknown", field="task", name=name, suggestion=" or ".join(near))
