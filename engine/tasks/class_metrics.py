"""Metrics of rows: sums over an evaluation, which stay on the device until the result is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.tasks.base import Sums

if TYPE_CHECKING:
    from torch import Tensor


class OneClass(Sums):
    """Accuracy, and the mean over the classes of each one's F1, 2 · right / (predicted + actual).

    The class of a row is the one of the highest logit. A class that no row has and none was taken for is left out.
    """

    COUNTED = ("rows", "right", "met")

    def __init__(self) -> None:
        self.rows = 0
        self.right: Tensor | int = 0
        self.met: Tensor | int = 0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels, classes = batch["labels"], outputs.logits.shape[-1]
        found = outputs.logits.argmax(-1)
        self.rows += labels.numel()
        self.right = self.right + _counts(labels, classes, found == labels)
        self.met = self.met + _counts(labels, classes) + _counts(found, classes)

    def result(self, loss: float | None = None) -> dict[str, float]:
        if not self.rows:
            return {}
        right, met = self.right.tolist(), self.met.tolist()  # type: ignore[union-attr]
        scores = [2 * one / both for one, both in zip(right, met, strict=True) if both]
        return {"accuracy": sum(right) / self.rows, "macro_f1": sum(scores) / len(scores)}


class SeveralClasses(Sums):
    """F1 over all pairs of row and class as one, and the share of pairs that are right; above 0 a logit is a yes."""

    COUNTED = ("pairs", "right", "right_yes", "yes")

    def __init__(self) -> None:
        self.pairs = 0
        self.right: Tensor | int = 0
        self.right_yes: Tensor | int = 0
        self.yes: Tensor | int = 0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels, found = batch["labels"] > 0.5, outputs.logits > 0
        self.pairs += labels.numel()
        self.right = self.right + (labels == found).sum()
        self.right_yes = self.right_yes + (labels & found).sum()
        self.yes = self.yes + labels.sum() + found.sum()

    def result(self, loss: float | None = None) -> dict[str, float]:
        if not self.pairs:
            return {}
        yes = int(self.yes)
        f1 = {"micro_f1": 2 * int(self.right_yes) / yes} if yes else {}
        return {**f1, "label_accuracy": int(self.right) / self.pairs}


class SquaredError(Sums):
    """The mean over rows of (found − right)², summed in fp64."""

    COUNTED = ("rows", "total")

    def __init__(self) -> None:
        self.rows = 0
        self.total: Tensor | float = 0.0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels, found = batch["labels"], outputs.logits
        if labels.device.type == "mps":  # which has no fp64
            labels, found = labels.cpu(), found.cpu()
        self.rows += labels.numel()
        self.total = self.total + (found.double().flatten() - labels.double()).square().sum()

    def result(self, loss: float | None = None) -> dict[str, float]:
        return {"mean_squared_error": float(self.total) / self.rows} if self.rows else {}


def _counts(classes: Tensor, number: int, kept: Tensor | None = None) -> Tensor:
    """How many of `classes` (where `kept`) are 0, 1, … `number` − 1."""
    import torch

    ones = torch.ones_like(classes) if kept is None else kept.to(classes.dtype)
    return torch.zeros(number, dtype=classes.dtype, device=classes.device).scatter_add_(0, classes, ones)
