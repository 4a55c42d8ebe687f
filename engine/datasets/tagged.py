"""Rows of token-classification: words and as many tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.datasets.rows import Row, Rows
from engine.datasets.values import Cell, as_class, as_text, is_missing, sorted_classes


def tagged(texts: Sequence[Cell], labels: Sequence[Cell]) -> Rows:
    """Words and tags are lists, or texts with spaces between them.

    Raises ConfigError `data.tags` where a row has more of one than of the other.
    """
    words = [words_of(text) for text in texts]
    tags = [tags_of(label, len(row)) for label, row in zip(labels, words, strict=True)]
    names = sorted_classes({tag for row in tags for tag in row}, len(tags), labels[0].source)
    number = {name: index for index, name in enumerate(names)}
    rows: list[Row] = [
        {"text": " ".join(row), "words": row, "label": [number[tag] for tag in tag_row]}
        for row, tag_row in zip(words, tags, strict=True)
    ]
    return Rows(rows, labels=names)


def words_of(text: Cell) -> list[str]:
    if not isinstance(text.value, list):
        return as_text(text).split()
    return ["" if is_missing(word) else as_text(text.with_value(word)) for word in text.value]


def tags_of(label: Cell, words: int) -> list[str]:
    value: Any = label.value
    if is_missing(value):
        raise label.wrong("data.no-label", "data.label")
    if isinstance(value, str):
        value = value.split()
    found = value if isinstance(value, list) else [value]
    if len(found) != words:
        raise label.wrong("data.tags", "data.label", words=words, tags=len(found))
    return [as_class(label.with_value(tag)) for tag in found]
