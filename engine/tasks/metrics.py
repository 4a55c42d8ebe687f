"""Metrics of tokens: sums over an evaluation's targets, which stay on the device until the result is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.tasks.base import Sums

if TYPE_CHECKING:
    from torch import Tensor


class Perplexity(Sums):
    """exp of the mean loss over all targets; the loss says all of it, so that no batch needs counting."""

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        pass

    def result(self, loss: float | None = None) -> dict[str, float]:
        # Beyond this the double overflows, and a perplexity of e^700 says nothing that the loss does not.
        if loss is None or not loss < 700:
            return {}
        return {"perplexity": math.exp(loss)}


class PerplexityAndAccuracy(Perplexity):
    """Perplexity, and the share of targets that have the highest logit at their own position."""

    COUNTED = ("correct", "targets")

    def __init__(self) -> None:
        self.correct: Tensor | int = 0
        self.targets: Tensor | int = 0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels = batch["labels"]
        self.correct = self.correct + (outputs.logits.argmax(-1) == labels).sum()
        self.targets = self.targets + (labels != IGNORED).sum()

    def result(self, loss: float | None = None) -> dict[str, float]:
        targets = int(self.targets)
        accuracy = {"accuracy": int(self.correct) / targets} if targets else {}
        return {**super().result(loss), **accuracy}
