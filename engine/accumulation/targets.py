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
    labels = _compared(batch, shifts)
    return labels.shape[0] if labels.is_floating_point() else int((labels != IGNORED).sum())


def count_items(batch: Mapping[str, Tensor], *, shifts: bool) -> int:
    """`num_items_in_batch` as transformers documents it: the labels, as `count_targets`, that are not `-100`.

    It differs from the targets only for labels of a floating type: several numbers a row are several items.
    """
    return int((_compared(batch, shifts) != IGNORED).sum())


def _compared(batch: Mapping[str, Tensor], shifts: bool) -> Tensor:
    """The labels that the loss compares with something."""
    if "shift_labels" in batch:
        return batch["shift_labels"]
    labels = batch["labels"]
    return labels[..., 1:] if shifts and not labels.is_floating_point() else labels


def shifts_labels(loss_of: Callable[[dict[str, Tensor]], Tensor], example: Mapping[str, Tensor]) -> bool:
    """Whether a head predicts label t from position t-1, found by what its loss does.

    `loss_of` maps a batch to the loss that training really uses; `example` is a batch with `labels` of
    shape (rows, length). Its first row is tried with a label at position 0 only: a loss that shifts has no target
    left, which shows as NaN or as an exception. Labels a row (classes, numbers) have no positions to shift.
    """
    import torch  # here alone, so that the page's arithmetic does not load it

    labels = example.get("labels")
    if labels is None or labels.is_floating_point() or labels.dim() < 2:
        return False
    probe = {name: value[:1] for name, value in example.items()}
    probe["labels"] = torch.full_like(labels[:1], IGNORED)
    present = labels[labels != IGNORED]
    probe["labels"][0, 0] = present[0] if len(present) else 0
    try:
        with torch.no_grad():
            return not bool(torch.isfinite(loss_of(probe)))
    except (ValueError, RuntimeError, ZeroDivisionError, IndexError):
        return True
