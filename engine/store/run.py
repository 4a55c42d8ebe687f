"""A run as a list of runs shows it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from engine.events import Kind, State


@dataclass(frozen=True)
class Run:
    """One run, with the values of its last update and its last evaluation.

    `created`, `started` and `ended` are unix seconds; a run that was interrupted ended with its last sign of life.
    `seconds` is the training time at the last update, `loss` that of the last window. `owned`: the store that
    was asked is the one that the run belongs to. A run of `kind` proof trains nothing; `request` says what is proved,
    and of a run that goes on, after which `update`. `title`, `tags` and `notes` are what people say of it; `deleted` is
    when it came into the bin.
    """

    id: int
    name: str
    state: State
    activity: str
    code: str
    message: str
    remedy: str
    values: dict[str, Any]
    config: dict[str, Any]
    plan: dict[str, Any] | None
    facts: dict[str, Any] | None
    created: float
    started: float | None
    ended: float | None
    update: int
    epoch: float
    seconds: float
    loss: float | None
    eval_loss: float | None
    eval_metrics: dict[str, float]
    total_examples: int
    total_targets: int
    kind: Kind
    request: dict[str, Any] | None
    title: str
    tags: list[str]
    notes: str
    deleted: float | None
    owned: bool


_JSON = ("values", "config", "plan", "facts", "eval_metrics", "request", "tags")
_HIDDEN = ("owner", "revision", "seen", "result", "results")


def run_of(row: sqlite3.Row, token: str) -> Run:
    """The run of a row of `summaries`, seen by the store of `token`."""
    values = {name: row[name] for name in row.keys() if name not in _HIDDEN}  # noqa: SIM118 (a Row iterates values)
    for name in _JSON:
        values[name] = json.loads(values[name] or "null")
    return Run(**values, owned=row["owner"] == token)
