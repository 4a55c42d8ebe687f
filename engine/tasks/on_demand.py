"""Rows that are encoded as they are asked for: those of a large file, and those of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from engine.tasks.base import Encoded, EncodedRow, Task

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SAMPLE = 1000
"""Rows that are encoded beforehand, spread over all of them, to see what rows are like here."""


class OnDemand(Sequence[EncodedRow]):
    """As `Encoded`, of rows that are too many to be encoded beforehand.

    How many are cut, and how many hold no target, is known of a `sample` alone. In place of a row without a target
    comes the next one that has some.
    """

    def __init__(
        self, task: Task, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int
    ) -> None:
        self.task = task
        self.rows = rows
        self.tokenizer = tokenizer
        self.max_length = max_length
        step = max(1, len(rows) // SAMPLE)
        self.sample = task.encode(rows[::step][:SAMPLE], tokenizer, max_length)

    def __len__(self) -> int:
        return len(self.rows) if self.sample else 0

    @overload
    def __getitem__(self, place: int) -> EncodedRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[EncodedRow]: ...
    def __getitem__(self, place: int | slice) -> EncodedRow | list[EncodedRow]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        for after in range(len(self.rows)):
            row = self.rows[(place + after) % len(self.rows)]
            if encoded := self.task.encode([row], self.tokenizer, self.max_length):
                return encoded[0]
        raise IndexError(place)

    @property
    def notices(self) -> list[tuple[str, dict[str, int]]]:
        return [("task.on-demand", {"rows": len(self.rows)}), *self.sample.notices]

    def longest(self) -> int:
        """The positions that the longest row may take."""
        return self.max_length * len(self.task.widths(self.sample[0])) if self.sample else 0


class Streamed:
    """A stream of encoded rows, to be wrapped for a loader by `engine.trainer.streams`; its length is not known.

    `passed` gives the rows of a pass over the data by its number. `sample` are the first rows.
    """

    def __init__(
        self,
        task: Task,
        first: Sequence[Mapping[str, Any]],
        passed: Callable[[int], Iterator[Mapping[str, Any]]],
        tokenizer: PreTrainedTokenizerBase,
        max_length: int,
    ) -> None:
        self.task = task
        self.passed = passed
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.sample: Encoded = task.encode(first, tokenizer, max_length)

    def encoded(self, epoch: int, share: tuple[int, int] = (0, 1)) -> Iterator[EncodedRow]:
        """The rows of a pass that hold a target, with their place; of `share` (part, of parts) only every parts-th."""
        rows = islice(enumerate(self.passed(epoch)), share[0], None, share[1])
        for place, row in rows:
            for encoded in self.task.encode([row], self.tokenizer, self.max_length):
                yield {**encoded, "epoch": epoch, "row": place}

    @property
    def notices(self) -> list[tuple[str, dict[str, int]]]:
        return [("task.streamed", {}), *self.sample.notices]
