"""The training data as windows: the loader hands out all rows of one update at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from torch.utils.data import BatchSampler, Dataset, IterableDataset, Sampler

from engine.trainer.collate import MicroBatchCount

T = TypeVar("T")


class Window:
    """The micro-batches of one update.

    `batches` and `counts` are this process's, `rows` too where they are at hand. `everywhere` holds the counts of all
    processes in the order of their numbers, and `weights` what weighs each of `order`: the micro-batches of all, by
    (place in its process, process), first the first one of each process.
    """

    def __init__(
        self,
        batches: list[dict[str, Any]],
        everywhere: Sequence[Sequence[MicroBatchCount]],
        weigh: Callable[[list[int]], list[float]],
        *,
        rank: int = 0,
        rows: Sequence[Any] = (),
    ) -> None:
        self.batches = batches
        self.rows = list(rows)
        self.rank = rank
        self.everywhere = everywhere
        self.counts = list(everywhere[rank])
        self.order = sorted((place, each) for each, counts in enumerate(everywhere) for place in range(len(counts)))
        self.all = [everywhere[each][place] for place, each in self.order]
        self.weights = weigh([count.targets for count in self.all])

    @property
    def passes(self) -> int:
        """Of each process, those that have nothing to add included: as many as the one with the most has."""
        return max(map(len, self.everywhere))

    def index(self, place: int, rank: int | None = None) -> int:
        """Where the micro-batch at `place` (from 0) of a process, this one if none is named, stands among all."""
        return self.order.index((place, self.rank if rank is None else rank))

    def in_order(self, values: Sequence[Sequence[T]]) -> list[T]:
        """What each process has of each of its micro-batches, in the order of all."""
        return [values[rank][place] for place, rank in self.order]

    @property
    def examples(self) -> int:
        return sum(count.examples for count in self.all)

    @property
    def targets(self) -> int:
        return sum(count.targets for count in self.all)

    @property
    def items(self) -> int:
        return sum(count.items for count in self.all)

    @property
    def tokens(self) -> int:
        """Positions that are no padding."""
        return sum(count.positions - count.padded for count in self.all)

    @property
    def padding(self) -> float:
        return sum(count.padded for count in self.all) / max(1, sum(count.positions for count in self.all))


@dataclass(frozen=True)
class UnderWay:
    """A window whose gradient is being added up by `model`; `done` of its micro-batches are."""

    model: Any
    window: Window
    done: int


class WindowSampler(BatchSampler):
    """The rows of each window, as (pass over the data, place in the data set).

    With `whole`, the rows at the end that do not fill a micro-batch of so many rows are left out. `start`: rows of the
    pass that were met before, by whatever plan. `part`: of each window every so many-th row alone, from which one on.
    """

    def __init__(self, sampler: Sampler[int], *, rows: int, whole: int = 1, part: tuple[int, int] = (0, 1)) -> None:
        super().__init__(sampler, batch_size=rows, drop_last=False)
        self.whole = whole
        self.part = part
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
            yield [(self.epoch, row) for row in rows[self.part[0] :: self.part[1]]]

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


class Slice(IterableDataset[Any]):
    """A stream from row `first` on, and of those every `of`-th."""

    def __init__(self, stream: Any, first: int, of: int = 1) -> None:
        self.stream = stream
        self.first = first
        self.of = of

    def set_epoch(self, epoch: int) -> None:
        if hasattr(self.stream, "set_epoch"):
            self.stream.set_epoch(epoch)

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.stream), self.first, None, self.of)


class InMicroBatches:
    """A loader of windows whose length is told in micro-batches, as the Trainer's arithmetic wants it."""

    def __init__(self, windows: Any, steps: int) -> None:
        self.dataset = windows.dataset
        self._length = len(windows) * steps

    def __len__(self) -> int:
        return self._length
