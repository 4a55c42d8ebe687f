"""How fast a run went: the throughput that leaves out the warm-up, and says so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

LEAST_LEFT_OUT = 3
SHARE_LEFT_OUT = 0.1
"""The updates at the beginning that no throughput counts: at least so many, and at least this share."""


def warm_up(updates: int) -> int:
    """Of so many updates those that are left out."""
    return max(LEAST_LEFT_OUT, math.ceil(SHARE_LEFT_OUT * updates))


def paces(rows: Iterable[Mapping[str, Any]]) -> list[float]:
    """Targets a second of each update that took any time."""
    return [row["targets"] / row["duration"] for row in rows if row["duration"]]


def typical(each: list[float]) -> float | None:
    """Their median; None of none."""
    return median(each) if each else None
