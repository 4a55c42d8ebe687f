"""Numbers as people read them, the same in a proof, in the table of heads, and in a lesson."""

from __future__ import annotations

import math
from collections.abc import Sequence


def plan_text(plan: Sequence[int]) -> str:
    """`8 × 4`: rows of a micro-batch times micro-batches of a window."""
    return f"{plan[0]} × {plan[1]}"


def error_text(error: float) -> str:
    """`2e-7` for what is small, `12.7 %` for what one can see."""
    if not math.isfinite(error):
        return "an unbounded amount"
    if error >= 5e-4:
        return f"{100 * error:.3g} %"
    mantissa, _, exponent = f"{error:.0e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if error else "0"
