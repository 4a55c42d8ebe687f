"""What each micro-batch of a window weighs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Normalization = Literal["exact", "mean-of-means", "trainer"]


def window_weights(targets: Sequence[int], normalization: Normalization = "exact") -> list[float]:
    """The factor of each micro-batch's own mean loss, in order.

    `exact`: tᵢ / Σt, so that the weighted means add up to the mean over the window's targets.
    `mean-of-means`: 1 / n for each of the n micro-batches, the historical fault that overweights the
    targets of micro-batches with few. `trainer` leaves the loss to the stock Trainer: 1.
    A micro-batch without a target weighs 0; a window without one has only zeros.
    """
    total = sum(targets)
    if total == 0:
        return [0.0] * len(targets)
    if normalization == "exact":
        return [count / total for count in targets]
    share = 1.0 if normalization == "trainer" else 1 / len(targets)
    return [share if count else 0.0 for count in targets]


def window_loss(losses: Sequence[float], weights: Sequence[float]) -> float:
    """Σ weightᵢ · lossᵢ over the micro-batches that weigh anything; a loss that weighs 0 may be NaN."""
    return sum(weight * loss for loss, weight in zip(losses, weights, strict=True) if weight)
