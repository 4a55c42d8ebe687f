"""The gradient noise scale, from the norms of small and of large batches' gradients.

McCandlish et al. 2018, “An Empirical Model of Large-Batch Training”, appendix A.1. With G the gradient over all data
and Σ the covariance of one example's, a batch of b examples has E‖G_b‖² = ‖G‖² + tr(Σ)/b. Two batch sizes are two
equations:

    ‖G‖² ≈ (B·‖G_B‖² − b·‖G_b‖²) / (B − b)        tr(Σ) ≈ (‖G_b‖² − ‖G_B‖²) / (1/b − 1/B)

Both are unbiased, and each is averaged over windows before the ratio B_simple = tr(Σ) / ‖G‖² is taken, which is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True)
class Norms:
    """Of one window: the squared norm of each micro-batch's own mean gradient, of `micro_batch` examples each, and of
    the whole window's."""

    micro_batch: int
    micro_batches: tuple[float, ...]
    window: float

    @property
    def examples(self) -> int:
        return self.micro_batch * len(self.micro_batches)


@dataclass(frozen=True)
class Noise:
    """`gradient_square` estimates ‖G‖² and `noise` tr(Σ), each over all windows.

    `scale`: B_simple in examples; None where the noise leaves nothing of the gradient to be seen (an estimate of ‖G‖²
    that is not above zero). `low` and `high`: one standard error of the ratio below and above, by leaving out a window
    at a time (jackknife); None where that can't be told.
    """

    windows: int
    gradient_square: float
    noise: float
    scale: float | None
    low: float | None = None
    high: float | None = None


def noise_scale(windows: Sequence[Norms]) -> Noise:
    """The noise scale over `windows`, of at least two micro-batches each. Raises ValueError where there are none."""
    if not windows or any(len(each.micro_batches) < 2 for each in windows):
        raise ValueError("a noise scale needs windows of two micro-batches or more")
    pairs = [(_gradient_square(each), _noise(each)) for each in windows]
    scale = _ratio(pairs)
    low, high = _spread(pairs, scale)
    squares, noises = zip(*pairs, strict=True)
    return Noise(len(pairs), fmean(squares), fmean(noises), scale, low, high)


def _gradient_square(norms: Norms) -> float:
    large, small = norms.examples, norms.micro_batch
    return (large * norms.window - small * fmean(norms.micro_batches)) / (large - small)


def _noise(norms: Norms) -> float:
    return (fmean(norms.micro_batches) - norms.window) / (1 / norms.micro_batch - 1 / norms.examples)


def _ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    squares, noises = zip(*pairs, strict=True)
    square = fmean(squares)
    return max(0.0, fmean(noises) / square) if square > 0 else None


def _spread(pairs: Sequence[tuple[float, float]], scale: float | None) -> tuple[float | None, float | None]:
    count = len(pairs)
    if scale is None or count < 3:
        return None, None
    left = [_ratio([*pairs[:place], *pairs[place + 1 :]]) for place in range(count)]
    known = [each for each in left if each is not None]
    if len(known) < count:
        return None, None
    middle = fmean(known)
    error = math.sqrt((count - 1) / count * sum((each - middle) ** 2 for each in known))
    return max(0.0, scale - error), scale + error
