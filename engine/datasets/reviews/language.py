"""What a language gives to the reviews: the things of each topic, judgements, and sentences of fact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

TOPICS = ("food", "location", "price", "room", "staff")


@dataclass(frozen=True)
class Language:
    """`things` by topic, `judged` by score; `clauses` hold a `{thing}` and how it is `{judged}`."""

    things: dict[str, tuple[str, ...]]
    judged: dict[int, tuple[str, ...]]
    clauses: tuple[str, ...]
    facts: tuple[str, ...]
    capitalised: Callable[[str], str]
