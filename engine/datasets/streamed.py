"""Rows that come one after another, and no one knows how many: those of a Hub data set that is not fetched before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.datasets.built import Row
from engine.datasets.rows import Rows

BUFFER = 1000
"""Rows among which each next one is drawn: a stream can't be shuffled whole."""


@dataclass(frozen=True)
class StreamedRows(Rows):
    """As `Rows`, but `train` holds the first rows alone; `passed` gives all of a pass over the data, by its number."""

    passed: Callable[[int], Iterator[Row]] = lambda epoch: iter(())

    def held_out(self, number: int, seed: int) -> Rows:
        return self


class Pass:
    """One pass after another over a stream of `records`, each `[place, value, …]` made into a row by `make`."""

    def __init__(self, stream: Any, make: Callable[[Any], Iterator[Row]], *, skip: int, seed: int) -> None:
        self._stream = stream
        self._make = make
        self._skip = skip
        self._seed = seed

    def __call__(self, epoch: int) -> Iterator[Row]:
        stream = self._stream.skip(self._skip) if self._skip else self._stream
        stream = stream.shuffle(seed=self._seed, buffer_size=BUFFER)
        stream.set_epoch(epoch)
        return self._make(stream)
