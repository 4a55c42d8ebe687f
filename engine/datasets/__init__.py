"""The rows that a run trains on: built in, from the user's own file, or from the Hub. Imports no torch."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from engine import hub
from engine.config import DataConfig
from engine.datasets.built_in import BUILT_IN, BuiltIn, View
from engine.datasets.files.source import State
from engine.datasets.hub_rows import load_hub
from engine.datasets.own_file import check_file, holds_turns, load_file, state_of
from engine.datasets.rows import Rows
from engine.datasets.streamed import StreamedRows
from engine.errors import ConfigError
from engine.tasks import get_task

__all__ = [
    "BUILT_IN",
    "BuiltIn",
    "Rows",
    "StreamedRows",
    "at_a_glance",
    "check",
    "holds_conversations",
    "load",
    "training_rows",
    "view_of",
]

MOST_HELD_OUT = 200
"""Of a user's own data a tenth is held out for evaluation, and at most so many rows."""

QUICK_BYTES = 2**24
"""A file up to this size is read at once to count its rows."""


def check(config: DataConfig, task: str) -> None:
    """Whether the data can serve the task, as far as a glance tells; reads a file's first part, asks no network.

    Raises ConfigError naming the field: an unknown name, a missing, empty or unreadable file, a column that
    is not there, a task that the data can't train.
    """
    get_task(task)
    if config.problem_type is not None and task != "text-classification":
        raise ConfigError("data.problem-task", field="data.problem_type", task=task)
    if config.name is not None:
        view_of(config, task)
    elif config.path is not None:
        check_file(config, task)
    elif not hub.is_id(config.hub or ""):
        raise ConfigError("data.not-an-id", field="data.hub", name=config.hub)


def holds_conversations(config: DataConfig, task: str) -> bool:
    """Whether the rows are lists of turns, as far as a glance tells: of the Hub's data the config alone is asked.

    Raises ConfigError as `check`.
    """
    if config.path is None:
        return config.messages is not None
    return holds_turns(config, task)


def load(config: DataConfig, task: str, *, seed: int, cache: Path) -> Rows:
    """The rows, shuffled and split by `seed`. What is fetched from the Hub is kept under `cache`.

    Raises ConfigError as `check`, and for a row that can't be used, with its place.
    """
    check(config, task)
    if config.name is not None:
        return BUILT_IN[config.name].load(seed, config.eval_rows, view_of(config, task))
    if config.path is not None:
        return _held_out(load_file(config, task, cache), config, seed)
    return _held_out(load_hub(config, task, cache, seed=seed), config, seed)


def at_a_glance(config: DataConfig, task: str, *, seed: int) -> Rows | None:
    """As `load`, where that takes no time to speak of; None of a large file and of the Hub's data.

    Raises ConfigError as `check` and, where the rows are read, as `load`.
    """
    check(config, task)
    if config.hub is not None or (config.path is not None and _bytes(state_of(config, task)) > QUICK_BYTES):
        return None
    return load(config, task, seed=seed, cache=Path())  # the cache is for the Hub's data alone


def training_rows(config: DataConfig, task: str, *, seed: int) -> int | None:
    """How many rows would be trained on, for a plan's arithmetic; remembered, so that only the first call takes time.

    None where that takes long: a large file, the Hub.

    Raises ConfigError as `check` and, where the rows are read, as `load`.
    """
    check(config, task)
    if config.path is None:
        return _counted(config, task, seed, None)
    state = state_of(config, task)
    return None if _bytes(state) > QUICK_BYTES else _counted(config, task, seed, state)


def _bytes(state: State) -> int:
    return sum(size for _, size, _ in state)


@lru_cache(maxsize=64)
def _counted(config: DataConfig, task: str, seed: int, state: State | None) -> int | None:
    """`state` tells one content of the file from another."""
    if config.hub is not None:
        return None
    if config.name is not None:
        return len(BUILT_IN[config.name].load(seed, config.eval_rows).train)
    return len(_held_out(load_file(config, task, Path()), config, seed).train)  # too small for the cache


def _held_out(rows: Rows, config: DataConfig, seed: int) -> Rows:
    if isinstance(rows, StreamedRows):
        return rows
    if rows.evaluation:  # of a file or split of their own
        number = config.eval_rows or len(rows.evaluation)
        if number >= len(rows.evaluation):
            return rows
        beside = replace(rows, train=rows.evaluation, evaluation=(), table=None).held_out(number, seed)
        return replace(rows, evaluation=beside.evaluation)
    tenth = min(len(rows.train) // 10, MOST_HELD_OUT)
    return rows.held_out(tenth if config.eval_rows is None else config.eval_rows, seed)


def view_of(config: DataConfig, task: str) -> View:
    """The first view of the data that fits the config. Raises ConfigError where none does."""
    name = config.name or ""
    data = BUILT_IN.get(name)
    if data is None:
        near = get_close_matches(name, BUILT_IN, n=1) or list(BUILT_IN)
        raise ConfigError(
            "data.unknown-name", field="data.name", name=name, known=", ".join(BUILT_IN), suggestion=near[0]
        )
    if task not in data.tasks:
        able = [other.name for other in BUILT_IN.values() if task in other.tasks]
        raise ConfigError(
            "data.wrong-task", field="task", task=task, name=name, able=" or ".join(able), tasks=" or ".join(data.tasks)
        )
    views = [view for view in data.views if view.task == task]
    for key in ("text", "label"):
        column = getattr(config, key)
        fitting = [view for view in views if getattr(view, key) == column]
        if column is None or (not fitting and column in data.columns and not get_task(task).needs_label):
            continue
        if not fitting:
            able = [each for view in views if (each := getattr(view, key))] or list(data.columns)
            near = get_close_matches(column, able, n=1) or able
            raise ConfigError(
                "data.no-column",
                field=f"data.{key}", name=column, source=name,
                columns=", ".join(data.columns), suggestion=near[0],
            )  # fmt: skip
        views = fitting
    of_kind = [view for view in views if config.problem_type in (None, view.problem_type)]
    if not of_kind:
        kinds = " or ".join(dict.fromkeys(view.problem_type or "" for view in views))
        raise ConfigError(
            "data.wrong-problem", field="data.problem_type", name=name, value=config.problem_type, able=kinds
        )
    return of_kind[0]
