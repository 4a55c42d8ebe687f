"""The rows of a run, and how some of them are held out for evaluation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.config import ProblemType
from engine.errors import ConfigError

Row = dict[str, Any]

NoticeValues = tuple[str, dict[str, Any]]
"""A code of `errors.WORDING` and the values of its words."""


@dataclass(frozen=True)
class Rows:
    """Rows for training and for evaluation, each with a `text` and, where the task wants one, a `label`.

    A label is a class (int), several of them (list of int), a number (float) or a text; rows of token-classification
    hold the list `words` beside their text, and a label holds as many classes. `labels` are the names of the classes,
    where the task has some; `problem_type` is that of text-classification. `notices` say what the user should know
    about the data, such as rows that were left out.
    """

    train: Sequence[Row]
    evaluation: Sequence[Row] = ()
    labels: tuple[str, ...] | None = None
    problem_type: ProblemType | None = None
    notices: tuple[NoticeValues, ...] = ()

    @property
    def texts(self) -> list[str]:
        """All that there is to read of the rows to train on: their texts, and those of their labels."""
        return [text for row in self.train for text in (row["text"], row.get("label")) if isinstance(text, str)]

    def held_out(self, number: int, seed: int) -> Rows:
        """All rows shuffled by `seed`, and `number` of them held out for evaluation, as many of each class as in all.

        Raises ConfigError `data.eval-rows` when none would be left to train on.
        """
        rows = [*self.train, *self.evaluation]
        train, evaluation = split([row.get("label") for row in rows], number, seed)
        return replace(self, train=[rows[place] for place in train], evaluation=[rows[place] for place in evaluation])


def split(labels: Sequence[Any], number: int, seed: int) -> tuple[list[int], list[int]]:
    """Places of rows to train on and of `number` rows held out, shuffled by `seed`; `labels` are the rows', in order.

    Of each class as many are held out as its share of all; of rows with several classes, by the rarest of them; of
    rows with a number, a text or nothing, at random. Raises ConfigError as `Rows.held_out`.
    """
    if number >= len(labels):
        raise ConfigError("data.eval-rows", field="data.eval_rows", wanted=number, rows=len(labels))
    shuffled = list(range(len(labels)))
    random.Random(seed).shuffle(shuffled)
    group = groups(labels)
    size, seen = Counter(group), Counter[int | None]()
    share: dict[int, float] = {}
    for place in shuffled:
        share[place] = (seen[group[place]] + 0.5) / size[group[place]]
        seen[group[place]] += 1
    held = sorted(shuffled, key=share.__getitem__)[:number]
    out = set(held)
    return [place for place in shuffled if place not in out], held


def groups(labels: Sequence[Any]) -> list[int | None]:
    """The class of each row, the rarest of several, None where it has none."""
    rows_with = Counter(one for label in labels if isinstance(label, list) for one in set(label))

    def group(label: Any) -> int | None:
        if isinstance(label, list):
            return min(label, key=lambda one: (rows_with[one], one), default=None)
        return label if isinstance(label, int) else None

    return [group(label) for label in labels]
