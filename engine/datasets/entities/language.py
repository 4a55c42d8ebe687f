"""What a language gives to the tagged sentences: names, the shapes of entities, and sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """`names` can each be a person's, a place's and an organisation's; `first_names` and `months` share some words.

    `entities`: by kind, patterns in which words in braces are drawn. `sentences`: words separated by spaces, as
    `engine.datasets.entities.tagged` takes them. `inflected` puts a word into a case.
    """

    names: tuple[str, ...]
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    entities: dict[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    inflected: Callable[[str, str], str]
    numbers: tuple[int, ...] = (*range(2, 32), *range(1985, 2030, 3))
