"""A collator that counts while the labels still lie on the CPU, so that counting never waits for a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from engine.accumulation import count_targets

COUNT = "birikim_count"


@dataclass(frozen=True)
class MicroBatchCount:
    """What a micro-batch holds: rows, targets, and positions (rows × width) of which `padded` carry nothing."""

    examples: int
    targets: int
    positions: int
    padded: int


class CountingCollator:
    """Wraps a task's collator; the batch carries its `MicroBatchCount` under the key `COUNT`."""

    def __init__(self, collate: Callable[[list[Any]], dict[str, Tensor]], *, shifts: bool) -> None:
        self.collate = collate
        self.shifts = shifts

    def __call__(self, rows: list[Any]) -> dict[str, Any]:
        batch: Mapping[str, Tensor] = self.collate(rows)
        mask = batch.get("attention_mask")
        positions = batch["input_ids"].numel() if mask is None else mask.numel()
        padded = 0 if mask is None else positions - int(mask.sum())
        count = MicroBatchCount(len(rows), count_targets(batch, shifts=self.shifts), positions, padded)
        return {**batch, COUNT: count}
