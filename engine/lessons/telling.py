"""A sentence of a conclusion in words, with its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from engine.config.byte_size import size_text
from engine.figures import error_text
from engine.lessons.words_en import ENGLISH
from engine.lessons.words_tr import TURKISH

WORDS: dict[str, dict[str, str]] = {"en": ENGLISH, "tr": TURKISH}


def told(name: str, values: Mapping[str, Any]) -> str:
    """The English words of `name` filled with `values`; the page speaks from the same tables in its own language."""
    return _Numbers().vformat(ENGLISH[name], (), values)


def number_text(value: float | None, unit: str) -> str:
    """A number as `engine.lessons.lesson.Unit` means it: 3e-7, 12.5 %, 4.00 ×, 628 MiB."""
    if value is None or not math.isfinite(value):
        # an error that has no number is beyond all bounds
        return "∞" if unit == "error" else "–"
    return _UNITS[unit](value)


class _Numbers(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return number_text(value, format_spec) if format_spec else str(value)


def _number(value: float) -> str:
    return f"{value:.4g}" if value == 0 or 1e-3 <= abs(value) < 1e6 else f"{value:.2e}"


_UNITS: dict[str, Callable[[float], str]] = {
    "count": lambda value: f"{value:,.0f}",
    "number": _number,
    "bytes": lambda value: size_text(round(value)),
    "error": error_text,
    "ratio": lambda value: f"{value:.2f} ×",
    "share": lambda value: f"{100 * value:.0f} %",
    "seconds": lambda value: f"{value:.3g} s",
    "rate": lambda value: f"{value:.2g}",
}
