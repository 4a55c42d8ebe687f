"""What each built-in model and data can serve: the table by which the browser keeps a choice fitting.

It is the browser that moves what a choice rules out (`assets/fit.js`): an answer from here could arrive when the
next choice has been made already, and undo it.
"""

from __future__ import annotations

from engine import DATASETS, MODELS

Tasks = dict[str, list[str]]


def for_page() -> dict[str, Tasks]:
    """Tasks by name, of models and of data. What is not in it is the user's own, and taken to fit."""
    return {
        "model": {name: list(model.tasks) for name, model in MODELS.items()},
        "data": {name: list(data.tasks) for name, data in DATASETS.items()},
    }
