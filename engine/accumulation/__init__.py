"""The heart: which labels are targets, how many a window holds, and what each micro-batch weighs.

A window's loss is the mean over all its targets. With tᵢ targets in micro-batch i, T = Σ tᵢ in the
window and mᵢ the model's own mean over the targets of micro-batch i, that mean is Σ (tᵢ / T) · mᵢ.
A gradient is linear in the loss, so adding up the gradients of the weighted means gives the
gradient of one batch that holds the whole window.
"""

from engine.accumulation.deal import Widths, WindowOrder, deal, positions
from engine.accumulation.plan import Plan, updates_left
from engine.accumulation.targets import IGNORED, count_items, count_targets, shifts_labels
from engine.accumulation.weights import Normalization, window_loss, window_weights

__all__ = [
    "IGNORED",
    "Normalization",
    "Plan",
    "Widths",
    "WindowOrder",
    "count_items",
    "count_targets",
    "deal",
    "positions",
    "shifts_labels",
    "updates_left",
    "window_loss",
    "window_weights",
]
