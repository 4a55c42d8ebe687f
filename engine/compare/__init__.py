"""Runs side by side: their curves, their figures, what sets them apart, and what makes a comparison unfair."""

from engine.compare.comparison import MOST, compare
from engine.compare.figures import Metric

__all__ = ["MOST", "Metric", "compare"]
