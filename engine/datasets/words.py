"""Words and as many tags: lists, or texts with spaces between them."""

from __future__ import annotations

from typing import Any

from engine.datasets.values import Cell, as_class, as_text, is_missing


def words_of(text: Cell) -> list[str]:
    if not isinstance(text.value, list):
        return as_text(text).split()
    return ["" if is_missing(word) else as_text(text.with_value(word)) for word in text.value]


def tags_of(label: Cell, words: int) -> list[str]:
    """Raises ConfigError `data.tags` where there are not as many of them as `words`."""
    value: Any = label.value
    if is_missing(value):
        raise label.wrong("data.no-label", "data.label")
    if isinstance(value, str):
        value = value.split()
    found = value if isinstance(value, list) else [value]
    if len(found) != words:
        raise label.wrong("data.tags", "data.label", words=words, tags=len(found))
    return [as_class(label.with_value(tag)) for tag in found]
