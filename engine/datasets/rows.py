"""The rows of a run, and how some of them are held out for evaluation."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engine.config import ProblemType
from engine.datasets.built import Places, RowsFrom
from engine.datasets.built import Row as Row
from engine.errors import ConfigError

if TYPE_CHECKING:
    from engine.datasets.table import Table

NoticeValues = tuple[str, dict[str, Any]]
"""A code of `errors.WORDING` and the values of its words."""

ENOUGH_TO_READ = 20_000
"""Of rows that lie on the disk, those that `Rows.texts` gives."""


@dataclass(frozen=True)
class Rows:
    """Rows for training and for evaluation, each with a `text` and, where the task wants one, a `label`.

    A label is a class (int), several of them (list of int), a number (float) or a text; rows of token-classification
    hold the list `words` beside their text, and a label holds as many classes. Rows of conversations hold `messages`
    in place of a text, those of questions a `prompt` and a `completion`. `labels` are the names of the classes,
    where the task has some; `problem_type` is that of text-classification. `notices` say what the user should know
    about the data, such as rows that were left out. `table` is what they were made of, where they came from a table.
    """

    train: Sequence[Row]
    evaluation: Sequence[Row] = ()
    labels: tuple[str, ...] | None = None
    problem_type: ProblemType | None = None
    notices: tuple[NoticeValues, ...] = ()
    table: Table | None = field(default=None, compare=False, repr=False)

    @property
    def texts(self) -> list[str]:
        """All that there is to read of the rows to train on; of a large table rows from all of it."""
        if isinstance(self.train, list):
            return [text for row in self.train for text in readable(row)]
        step = max(1, len(self.train) // ENOUGH_TO_READ)
        return [text for place in range(0, len(self.train), step) for text in readable(self.train[place])]

    def held_out(self, number: int, seed: int) -> Rows:
        """All rows shuffled by `seed`, and `number` of them held out for evaluation, as many of each class as in all.

        Raises ConfigError `data.eval-rows` when none would be left to train on.
        """
        parts = self._split(number, seed)
        if isinstance(self.train, RowsFrom):
            made: list[Sequence[Row]] = [Places(self.train, places) for places in parts]
        else:
            rows = [*self.train, *self.evaluation]
            made = [[rows[place] for place in places] for places in parts]
        return replace(self, train=made[0], evaluation=made[1], notices=self._with_leak(*parts))

    def _split(self, number: int, seed: int) -> tuple[Sequence[int], Sequence[int]]:
        if isinstance(self.train, RowsFrom):
            return split_many(self.train.classes, len(self.train), number, seed)
        return split([row.get("label") for row in (*self.train, *self.evaluation)], number, seed)

    def _with_leak(self, train: Sequence[int], evaluation: Sequence[int]) -> tuple[NoticeValues, ...]:
        leaked = self.table.known(evaluation, train) if self.table and len(evaluation) else 0
        if not leaked:
            return self.notices
        return (*self.notices, ("data.leak", {"count": leaked, "rows": len(evaluation)}))


def readable(row: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a row."""
    for key in ("text", "label", "prompt", "completion"):
        if isinstance(row.get(key), str):
            yield row[key]
    for turn in row.get("messages", ()):
        yield turn["content"]


def split(labels: Sequence[Any], number: int, seed: int) -> tuple[list[int], list[int]]:
    """Places of rows to train on and of `number` rows held out, shuffled by `seed`; `labels` are the rows', in order.

    Of each class as many are held out as its share of all; of rows with several classes, by the rarest of them; of
    rows with a number, a text or nothing, at random. Raises ConfigError as `Rows.held_out`.
    """
    _check(number, len(labels))
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


def split_many(labels: Sequence[Any] | None, rows: int, number: int, seed: int) -> tuple[Any, Any]:
    """As `split`, in arrays, of so many rows that a list of their places would be large; shuffled in another way."""
    import numpy

    _check(number, rows)
    shuffled = numpy.random.default_rng(seed).permutation(rows).astype(numpy.uint32)
    share = numpy.arange(rows, dtype=numpy.float32)
    if labels is not None:
        group = _groups_of_many(labels)[shuffled]
        for one in numpy.unique(group):
            places = numpy.flatnonzero(group == one)
            share[places] = (numpy.arange(len(places)) + 0.5) / len(places)
    held = numpy.argsort(share, kind="stable")[:number]
    kept = numpy.ones(rows, dtype=bool)
    kept[held] = False
    return shuffled[kept], shuffled[held]


def _groups_of_many(labels: Sequence[Any]) -> Any:
    """As `groups`, in an array; -1 where a row has none."""
    import numpy

    if isinstance(labels, array):  # classes as they are, numbers that are none
        return numpy.asarray(labels) if labels.typecode == "i" else numpy.full(len(labels), -1, dtype=numpy.int32)
    return numpy.array([-1 if one is None else one for one in groups(labels)], dtype=numpy.int32)


def _check(number: int, rows: int) -> None:
    if number >= rows:
        raise ConfigError("data.eval-rows", field="data.eval_rows", wanted=number, rows=rows)


def groups(labels: Sequence[Any]) -> list[int | None]:
    """The class of each row, the rarest of several, None where it has none."""
    rows_with = Counter(one for label in labels if isinstance(label, list) for one in set(label))

    def group(label: Any) -> int | None:
        if isinstance(label, list):
            return min(label, key=lambda one: (rows_with[one], one), default=None)
        return label if isinstance(label, int) else None

    return [group(label) for label in labels]
