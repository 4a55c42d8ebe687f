"""How much one viewer may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict

MOST_KEPT = 2000
"""Askers that are remembered; who has long been silent is forgotten first."""


class Rate:
    """At most `burst` at once and `second` a second later on, of each asker."""

    def __init__(self, *, burst: float, second: float) -> None:
        self._burst = burst
        self._second = second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, asker: str) -> bool:
        now = time.monotonic()
        left, at = self._left.pop(asker, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._second)
        allowed = left >= 1
        self._left[asker] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KEPT:
            self._left.popitem(last=False)
        return allowed
