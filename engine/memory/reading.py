"""What a ledger's log says: the peak, its parts and its moment, the largest tensors, the saw-tooth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from engine.memory.account import CATEGORIES, Category, LargeTensor, Moment, Span, Trace
from engine.memory.ledger import Log

POINTS = 800
"""A trace has at most so many."""

LARGEST = 12

Numbers = NDArray[numpy.int64]


@dataclass(frozen=True)
class Reading:
    """A log in figures, as `Account` holds them."""

    peak_bytes: int
    parts: dict[Category, int]
    moment: Moment
    largest: tuple[LargeTensor, ...]
    trace: Trace


def read(log: Log) -> Reading:
    """Raises ValueError where the log has no phase."""
    if not log.stretches:
        raise ValueError("a log without a phase has no peak")
    numbers = numpy.array([number for number, _, _ in log.entries], dtype=numpy.int64)
    changes = numpy.array([change for _, change, _ in log.entries], dtype=numpy.int64)
    place = {category: index for index, category in enumerate(CATEGORIES)}
    kinds = numpy.array([place[storage.category or "other"] for storage in log.storages], dtype=numpy.int64)[numbers]
    live = numpy.stack([numpy.cumsum(numpy.where(kinds == kind, changes, 0)) for kind in place.values()])
    total = live.sum(axis=0)
    # what was there before the window begins is its first point
    first = max(log.stretches[0].start - 1, 0)
    peak = first + int(total[first:].argmax())
    stretch = max((each for each in log.stretches if each.start <= peak), key=lambda each: each.start, default=None)
    stretch = stretch or log.stretches[0]
    return Reading(
        peak_bytes=int(total[peak]),
        parts={category: int(live[index, peak]) for category, index in place.items()},
        moment=Moment(stretch.phase, stretch.micro_batch, log.entries[peak][2]),
        largest=tuple(_largest(log, numbers[: peak + 1], changes[: peak + 1])),
        trace=_trace(log, live, total),
    )


def _largest(log: Log, numbers: Numbers, changes: Numbers) -> Iterator[LargeTensor]:
    alive = numpy.zeros(len(log.storages), dtype=numpy.int64)
    numpy.add.at(alive, numbers, changes)
    for number in numpy.argsort(-alive, kind="stable")[:LARGEST]:
        storage = log.storages[number]
        if alive[number]:
            yield LargeTensor(
                name=storage.name or storage.module or "",
                bytes=int(alive[number]),
                category=storage.category or "other",
                shape=storage.shape,
                dtype=str(storage.dtype).removeprefix("torch."),
            )


def _trace(log: Log, live: Numbers, total: Numbers) -> Trace:
    """Of every phase its peak, its end and as many further peaks as there is room for, spread evenly over the log."""
    starts = [stretch.start for stretch in log.stretches]
    ends = [*starts[1:], len(log.entries)]
    begun = sum(start < end for start, end in zip(starts, ends, strict=True))
    room = max(0, POINTS - 2 * begun) // 2
    every = max(1, ends[-1] - starts[0])
    kept: list[int] = []
    spans: list[Span] = []
    for stretch, start, end in zip(log.stretches, starts, ends, strict=True):
        before = len(kept)
        kept += _points(total, start, end, 1 + room * (end - start) // every)
        if len(kept) > before:
            spans.append(Span(stretch.phase, stretch.micro_batch, before, len(kept)))
    return Trace({category: live[kind, kept].tolist() for kind, category in enumerate(CATEGORIES)}, tuple(spans))


def _points(total: Numbers, start: int, end: int, pieces: int) -> list[int]:
    """Of each of `pieces` parts of [start, end) the highest entry and the last one; all where they are few."""
    if end - start <= 2 * pieces:
        return list(range(start, end))
    cuts = numpy.linspace(start, end, pieces + 1).astype(int)
    kept: set[int] = set()
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        kept |= {low + int(total[low:high].argmax()), high - 1}
    return sorted(kept)
