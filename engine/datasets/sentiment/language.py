"""What a language gives to the sentences: words in all the forms that the patterns ask for, and the patterns.

A pattern names its words in braces. `a` is the aspect that carries the sentiment and `b` another one of the same
domain; `x` is an adjective of the wanted sentiment for `a`, `y` its opposite, `w` an adjective of the opposite
sentiment for `b`; `s` is a strong adjective of the wanted sentiment, `i` and `j` are an intensifier (or nothing) of an
ordinary and of a strong adjective, `n` is the domain's noun. A language with inflection gives more forms of
the same word, such as `a_gen` or `x_past`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Forms = dict[str, str]
"""The forms of one word by suffix; the plain form has the suffix ""."""

Pair = tuple[Forms, Forms]
"""Two antonyms: the negative adjective, the positive one."""

ByPolarity = tuple[tuple[str, ...], tuple[str, ...]]
"""What is said when the sentiment is negative, and when it is positive."""


@dataclass(frozen=True)
class Domain:
    """Something that people judge. `aspects`: its parts, each with the kind of adjectives that fit it."""

    noun: Forms
    aspects: tuple[tuple[Forms, str], ...]
    fillers: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """Words and patterns of one language; `patterns` and `phrases` go by the name of their construction."""

    domains: tuple[Domain, ...]
    pairs: dict[str, tuple[Pair, ...]]
    strong: tuple[tuple[Forms, ...], tuple[Forms, ...]]
    intensifiers: tuple[str, ...]
    strong_intensifiers: tuple[str, ...]
    patterns: dict[str, tuple[str, ...]]
    phrases: dict[str, ByPolarity]
    turns: tuple[str, ...]
    capitalised: Callable[[str], str]


def forms(text: str, *suffixes: str) -> Forms:
    """`forms("oda odanın", "_gen")`: the words of `text`, separated by "/", by suffix; the first is the plain one."""
    words = [word.strip() for word in text.split("/")]
    return dict(zip(("", *suffixes), words, strict=True))
