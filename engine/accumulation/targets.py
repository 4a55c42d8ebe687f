"""Which labels are targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

IGNORED = -100
"""The label that a loss passes over (the `ignore_index` of transformers' losses)."""


def count_targets(batch: Mapping[str, Tensor], *, shifts: bool) -> int:
    """How many targets a micro-batch holds.

    `shift_labels`, where given, are counted as they are; else `labels[..., 1:]` where the head's
    loss `shifts` (position 0 is never predicted); else all labels. `-100` never counts. Labels of a
    floating type (regression, multi-label) count one target a row.

    Reads the labels' values: hand it tensors that lie on the CPU, or it waits for the device.
    """
    if "shift_labels" in batch:
        labels = batch["shift_labels"]
    else:
        labels = batch["labels"]
        if labels.is_floating_point():
            return labels.shape[0]
        if shifts:
            labels = labels[..., 1:]
    return int((labels != IGNORED).sum())


def shifts_labels(loss_of: Callable[[dict[str, Tensor]], Tensor], example: Mapping[str, Tensor]) -> bool:
    """Whether a head predicts label t from position t-1, found by what its loss does.

    `loss_of` maps a batch to the loss that training really uses; `example` is a batch with token
    `labels` of shape (rows, length). One row is tried with a label at position 0 only: a loss that
    shifts has no target left, which shows as NaN or as an exception. Labels a row (classes, numbers)
    have no positions to shift.
    """
    import torch  # here alone, so that the page's arithmetic does not load it

    labels = example.get("labels")
    if labels is None or labels.is_floating_point() or labels.shape != example["input_ids"].shape:
        return False
    probe = {name: value[:1] for name, value in example.items()}
    probe["labels"] = torch.full_like(labels[:1], IGNORED)
    probe["labels"][0, 0] = example["input_ids"][0, 0]
    try:
        with torch.no_grad():
            return not bool(torch.isfinite(loss_of(probe)))
    except (ValueError, RuntimeError, ZeroDivisionError, IndexError):
        return True
