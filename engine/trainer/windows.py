"""The training data as windows: the loader hands out all rows of one update at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from torch.utils.data import BatchSampler, Dataset, IterableDataset, Sampler

from engine.trainer.collate import MicroBatchCount


@dataclass
class Window:
    """The micro-batches of one update, with their counts and weights; its `rows` where they are at hand."""

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
    def tokens(self) -> int:
        """Positions that are no padding."""
        return sum(count.positions - count.padded for count in self.counts)

    @property
    def padding(self) -> float:
        return sum(count.padded for count in self.counts) / max(1, sum(count.positions for count in self.counts))


@dataclass(frozen=True)
class UnderWay:
    """A window whose gradient is being added up by `model`; `done` of its micro-batches are."""

    model: Any
    window: Window
    done: int


class WindowSampler(BatchSampler):
    """The rows of each window, as (pass over the data, place in the data set).

    With `whole`, the rows at the end that do not fill a micro-batch of so many rows are left out. `start`: rows of the
    pass that were met before, by whatever plan.
    """

    def __init__(self, sampler: Sampler[int], *, rows: int, whole: int = 1) -> None:
        super().__init__(sampler, batch_size=rows, drop_last=False)
        self.whole = whole
        self.used = self.end(0)
        self.epoch = 0
        self.start = 0

    def end(self, start: int) -> int:
        """The rows of a pass that are met at its end, `start` of them before now."""
        rows = len(self.sampler)  # type: ignore[arg-type]
        return start + max(0, rows - start) // self.whole * self.whole

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:  # type: ignore[override]
        places = islice(self.sampler, self.start, self.end(self.start))
        while rows := list(islice(places, self.batch_size)):
            yield [(self.epoch, row) for row in rows]

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


class After(IterableDataset[Any]):
    """A stream without its first `rows` rows."""

    def __init__(self, stream: Any, rows: int) -> None:
        self.stream = stream
        self.rows = rows

    def set_epoch(self, epoch: int) -> None:
        if hasattr(self.stream, "set_epoch"):
            self.stream.set_epoch(epoch)

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.stream), self.rows, None)


class InMicroBatches:
    """A loader of windows whose length is told in micro-batches, as the Trainer's arithmetic wants it."""

    def __init__(self, windows: Any, steps: int) -> None:
        self.dataset = windows.dataset
        self._length = len(windows) * steps

    def __len__(self) -> int:
        return self._length
