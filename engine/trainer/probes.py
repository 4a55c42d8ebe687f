"""What a model's loss makes of padding and of packing, found by trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

Batch = Mapping[str, Any]
LossOf = Callable[[dict[str, Any]], Tensor]

TOLERANCE = 1e-4
"""Relative; rounding in fp32 stays far below, a padded or neighbouring row that is really read far above."""


def padding_changes(loss_of: LossOf, alone: Batch, padded: Batch) -> float | None:
    """How far padding moves a row's loss, relative; None where it does not.

    `alone` is a batch of one row without padding, `padded` one whose first row is the same, padded to another's width.
    """
    return _difference(loss_of, dict(alone), {name: value[:1] for name, value in padded.items()})


def packing_changes(loss_of: LossOf, padded: Batch, packed: Batch) -> float | None:
    """How far the loss of rows laid end to end is from that of the same rows padded, relative; None where it is not."""
    return _difference(loss_of, dict(padded), dict(packed))


def _difference(loss_of: LossOf, right: dict[str, Any], tried: dict[str, Any]) -> float | None:
    with torch.no_grad():
        expected, found = float(loss_of(right)), float(loss_of(tried))
    moved = abs(found - expected) / max(abs(expected), 1e-6)
    return None if moved <= TOLERANCE else moved
