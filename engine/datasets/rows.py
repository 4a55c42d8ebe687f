"""The rows of a run, and how some of them are held out for evaluation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import ConfigError

Row = dict[str, Any]

NoticeValues = tuple[str, dict[str, Any]]
"""A code of `errors.WORDING` and the values of its words."""


@dataclass(frozen=True)
class Rows:
    """Rows for training and for evaluation, each `{"text": str}` or `{"text": str, "label": int}`.

    `labels` are the names of the classes, where the task has some. `notices` say what the user should know
    about the data, such as rows that were left out.
    """

    train: Sequence[Row]
    evaluation: Sequence[Row] = ()
    labels: tuple[str, ...] | None = None
    notices: tuple[NoticeValues, ...] = ()

    def held_out(self, number: int, seed: int) -> Rows:
        """All rows shuffled by `seed`, and `number` of them held out for evaluation, as many of each class as in all.

        Raises ConfigError `data.eval-rows` when none would be left to train on.
        """
        rows = [*self.train, *self.evaluation]
        if number >= len(rows):
            raise ConfigError("data.eval-rows", field="data.eval_rows", wanted=number, rows=len(rows))
        random.Random(seed).shuffle(rows)
        size, seen = Counter(row.get("label") for row in rows), Counter[int | None]()
        place = []
        for row in rows:
            label = row.get("label")
            place.append((seen[label] + 0.5) / size[label])
            seen[label] += 1
        first = sorted(range(len(rows)), key=place.__getitem__)[:number]
        held = set(first)
        train = [row for index, row in enumerate(rows) if index not in held]
        return replace(self, train=train, evaluation=[rows[index] for index in first])

    def without_labels(self) -> Rows:
        """The text alone, for a task that asks for no class."""
        train, evaluation = ([{"text": row["text"]} for row in rows] for rows in (self.train, self.evaluation))
        return replace(self, train=train, evaluation=evaluation, labels=None)
