"""Collators that count while the labels still lie on the CPU, so that counting never waits for a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor

from engine.accumulation import Widths, WindowOrder, count_items, count_targets, deal

COUNT = "birikim_count"
ROWS = "birikim_rows"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class MicroBatchCount:
    """What a micro-batch holds: rows, targets, and positions (rows × width) of which `padded` carry nothing.

    `items` is what a custom loss is told to divide by: as many as `targets`, but for labels of several numbers a row.
    """

    examples: int
    targets: int
    positions: int
    padded: int
    items: int


@dataclass(frozen=True)
class Rows:
    """The rows of a micro-batch as they were before they were collated, closed to whoever moves tensors."""

    rows: list[Any]


class CountingCollator:
    """Wraps a task's collator; the batch carries its `MicroBatchCount` under the key `COUNT`.

    `shifts`: whether the head's loss shifts labels. `widths` are a row's lengths as `engine.accumulation.deal` takes
    them. What is padding follows from these and not from a mask: many models use one token for both ends.
    """

    def __init__(
        self,
        collate: Callable[[list[Any]], dict[str, Tensor]],
        *,
        shifts: bool,
        widths: Callable[[Row], Widths] | None = None,
        packed: bool = False,
    ) -> None:
        self.collate = collate
        self.shifts = shifts
        self.widths = widths or input_widths
        self.packed = packed

    def __call__(self, rows: list[Any]) -> dict[str, Any]:
        batch: Mapping[str, Tensor] = self.collate(rows)
        widths = [self.widths(row) for row in rows]
        filled = sum(map(sum, widths))
        taken = filled if self.packed else len(rows) * sum(map(max, zip(*widths, strict=True)))
        targets = count_targets(batch, shifts=self.shifts)
        count = MicroBatchCount(len(rows), targets, taken, taken - filled, count_items(batch, shifts=self.shifts))
        return {**batch, COUNT: count}


class WindowCollator:
    """Deals the rows of a window into micro-batches and collates each of them.

    With `keep_rows` each carries its `Rows` under the key `ROWS`, so that the window can be dealt anew.
    """

    def __init__(
        self,
        collate: CountingCollator,
        *,
        micro_batch: int,
        order: WindowOrder = "random",
        tokens: int | None = None,
        keep_rows: bool = False,
    ) -> None:
        self.collate = collate
        self.keep_rows = keep_rows
        self.deal = partial(deal, micro_batch=micro_batch, order=order, tokens=tokens, packed=collate.packed)

    def __call__(self, rows: Sequence[Any]) -> list[dict[str, Any]]:
        dealt = self.deal([self.collate.widths(row) for row in rows])
        micro_batches = [[rows[place] for place in places] for places in dealt]
        kept = [{ROWS: Rows(each)} if self.keep_rows else {} for each in micro_batches]
        return [{**self.collate(each), **beside} for each, beside in zip(micro_batches, kept, strict=True)]


def input_widths(row: Row) -> Widths:
    """The number of its input tokens: of a row whose labels are as wide as its input, or just one."""
    return (len(row["input_ids"]),)
