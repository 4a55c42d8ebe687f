"""The training data as windows: the loader hands out all rows of one update at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torch.utils.data import BatchSampler, Dataset, Sampler

from engine.trainer.collate import MicroBatchCount


@dataclass
class Window:
    """The micro-batches of one update, with their counts and weights; its `rows` where it may be dealt anew."""

    batches: list[dict[str, Any]]
    counts: list[MicroBatchCount]
    weights: list[float]
    rows: list[Any] = field(default_factory=list)

    @property
    def examples(self) -> int:
        return sum(count.examples for count in self.counts)

    @property
    def targets(self) -> int:
        return sum(count.targets for count in self.counts)

    @property
    def items(self) -> int:
        return sum(count.items for count in self.counts)

    @property
    def padding(self) -> float:
        return sum(count.padded for count in self.counts) / max(1, sum(count.positions for count in self.counts))


class WindowSampler(BatchSampler):
    """The rows of each window, as (pass over the data, place in the data set).

    With `whole`, the rows at the end that do not fill a micro-batch of so many rows are left out.
    """

    def __init__(self, sampler: Sampler[int], *, rows: int, whole: int = 1) -> None:
        super().__init__(sampler, batch_size=rows, drop_last=False)
        self.used = len(sampler) // whole * whole  # type: ignore[arg-type]
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:  # type: ignore[override]
        left = self.used
        for rows in super().__iter__():
            if left:
                yield [(self.epoch, row) for row in rows[:left]]
            left -= min(left, len(rows))

    def __len__(self) -> int:
        return -(-self.used // self.batch_size)


class Numbered(Dataset[dict[str, Any]]):
    """Rows that know their place and the pass over the data, for collators that draw by them.

    Asked for a bare place, the pass is `epoch`.
    """

    def __init__(self, rows: Any, epoch: int = 0) -> None:
        self.rows = rows
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: int | tuple[int, int]) -> dict[str, Any]:
        epoch, place = key if isinstance(key, tuple) else (self.epoch, key)
        return {**self.rows[place], "epoch": epoch, "row": place}


class InMicroBatches:
    """A loader of windows whose length is told in micro-batches, as the Trainer's arithmetic wants it."""

    def __init__(self, windows: Any, steps: int) -> None:
        self.dataset = windows.dataset
        self._length = len(windows) * steps

    def __len__(self) -> int:
        return self._length
