"""A sentence of a conclusion in words, with its numbers as the language writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Literal

from engine.config.byte_size import size_text
from engine.figures import error_text
from engine.lessons.words_en import ENGLISH
from engine.lessons.words_tr import TURKISH

Language = Literal["en", "tr"]

WORDS: dict[str, dict[str, str]] = {"en": ENGLISH, "tr": TURKISH}


def told(name: str, values: Mapping[str, Any], language: str = "en") -> str:
    """The words of `name` filled with `values`; English where a language is not known."""
    table = WORDS.get(language, ENGLISH)
    return _Numbers(language).vformat(table[name], (), values)


def number_text(value: float | None, unit: str, language: str = "en") -> str:
    """A number as `engine.lessons.lesson.Unit` means it: 3e-7, 12.5 %, 4.00 ×, 628 MiB."""
    if value is None or not math.isfinite(value):
        # an error that has no number is beyond all bounds
        return "∞" if unit == "error" else "–"
    text = _UNITS[unit](value)
    if language != "tr":
        return text
    comma = text.translate(str.maketrans(".,", ",."))
    return f"%{comma.removesuffix(' %')}" if comma.endswith(" %") else comma


class _Numbers(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        return number_text(value, format_spec, self._language) if format_spec else str(value)


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
