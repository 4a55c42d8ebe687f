"""The learning rate of another effective batch, by rule of thumb."""

from __future__ import annotations

import math
from typing import Literal

ScalingRule = Literal["none", "linear", "square-root"]


def scaled_rate(rate: float, before: int, after: int, rule: ScalingRule) -> float:
    """`rate` of `before` examples an update, for `after` of them.

    `linear`: an update of k times the examples goes k times as far, as k small ones would together (Goyal et al. 2017).
    `square-root`: keeps the variance of an update (Krizhevsky 2014), and is what suits Adam (Malladi et al. 2022).
    """
    ratio = after / before
    return rate * {"none": 1.0, "linear": ratio, "square-root": math.sqrt(ratio)}[rule]
