"""When more training is not worth it."""

from __future__ import annotations

import math

from engine.config import EarlyStopping


class Patience:
    """Counts the evaluations in a row that do not better the best one by more than the threshold."""

    def __init__(self, spec: EarlyStopping) -> None:
        self.spec = spec
        self.misses = 0
        self.best: float | None = None

    @property
    def over(self) -> bool:
        return self.misses >= self.spec.patience

    def look(self, value: float, *, greater_is_better: bool) -> None:
        """Takes in the value of an evaluation; one that is no number is no improvement."""
        gain = math.inf if self.best is None else (value - self.best) * (1 if greater_is_better else -1)
        if not math.isnan(value) and gain > self.spec.threshold:
            self.best, self.misses = value, 0
        else:
            self.misses += 1
