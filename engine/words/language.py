"""How a language other than English tells what a code and its values say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.words.wording import Wording

_NUMBER = re.compile(r"\d+\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SHARE = re.compile(r"([\d.,]+) %")


@dataclass(frozen=True)
class Language:
    """The `wording` of each code; the words inside values by the value's name (`phrases`); names of values that are a
    choice (`lists`, whose English “or” becomes `either`) or numbers as text (`figures`); and the `separators` of a
    number: that of thousands, then the decimal one. A per cent sign stands before its number.
    """

    wording: Mapping[str, Wording]
    phrases: Mapping[str, Mapping[str, str]]
    lists: frozenset[str]
    either: str
    figures: frozenset[str]
    separators: tuple[str, str]

    def told(self, code: str, values: Mapping[str, Any]) -> Wording | None:
        """Message and remedy; None for a code or values that this version doesn't know."""
        words = self.wording.get(code)
        named = {name: self.value(name, value) for name, value in values.items()}
        try:
            return Wording(*(each.format(**named) for each in words)) if words else None
        except (LookupError, ValueError):
            return None

    def value(self, name: str, value: Any) -> Any:
        """A value as a sentence of the language holds it."""
        if isinstance(value, float):
            return self.number(f"{value:.4g}")
        if not isinstance(value, str):
            return value
        for pattern, words in self.phrases.get(name, {}).items():
            if found := re.fullmatch(pattern, value):
                value = words.format(*found.groups())
                break
        if name in self.lists:
            value = value.replace(" or ", self.either)
        return self.number(value) if name in self.figures else value

    def number(self, text: str) -> str:
        """`text` with its numbers, which are written as in English, as the language writes them."""
        thousands, decimal = self.separators

        def written(found: re.Match[str]) -> str:
            whole, point, rest = found[0].partition(".")
            return whole.replace(",", thousands) + (decimal if point else "") + rest

        return _SHARE.sub(r"%\1", _NUMBER.sub(written, text))
