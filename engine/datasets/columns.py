"""Which columns of a table are the text and the label, and what their values become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from engine.config import DataConfig
from engine.datasets.rows import NoticeValues, Row, Rows
from engine.errors import ConfigError
from engine.tasks import get_task

MOST_CLASSES = 100
"""More classes than this need two rows each, on average: otherwise the column is no class but a number or a text."""


def chosen(columns: Sequence[str], config: DataConfig, task: str, source: str) -> list[str]:
    """The names of the text column and, where the task wants one, of the label column.

    Raises ConfigError about `data.text` or `data.label`, naming the columns that there are.
    """
    wanted = {"text": config.text or "text"}
    if get_task(task).needs_label:
        wanted["label"] = config.label or "label"
    for key, name in wanted.items():
        if name not in columns:
            near = get_close_matches(name, columns, n=1, cutoff=0.7)
            raise ConfigError(
                "data.no-column",
                field=f"data.{key}", name=name, source=source,
                columns=", ".join(columns), suggestion=near[0] if near else (columns or [key])[0],
            )  # fmt: skip
    if len(set(wanted.values())) < len(wanted):
        raise ConfigError("data.one-column", field="data.label", name=wanted["text"])
    return list(wanted.values())


def rows_of(records: Iterable[tuple[str, Sequence[Any]]], source: str) -> Rows:
    """Rows, all of them for training, from the places and values of a table's rows.

    Each record holds the text or the text and the label. Rows of empty text are left out and counted. Classes are
    sorted, by their number where all are numbers.

    Raises ConfigError with the place of the row that can't be used.
    """
    texts: list[str] = []
    names: list[str] = []
    empty = 0
    for place, (value, *label) in records:
        text = as_text(value, place, source)
        if not text:
            empty += 1
            continue
        texts.append(text)
        if label:
            names.append(as_class(label[0], place, source))
    if not texts:
        raise ConfigError("data.no-rows", field="data.text", source=source)
    notices: tuple[NoticeValues, ...] = (("data.empty-rows", {"count": empty, "source": source}),) if empty else ()
    if not names:
        return Rows([{"text": text} for text in texts], notices=notices)
    labels = sorted_classes(set(names), len(texts), source)
    number = {name: index for index, name in enumerate(labels)}
    rows: list[Row] = [{"text": text, "label": number[name]} for text, name in zip(texts, names, strict=True)]
    return Rows(rows, labels=labels, notices=notices)


def is_missing(value: Any) -> bool:
    """None, not a number, or blank."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def as_text(value: Any, place: str, source: str) -> str:
    """The text of a row, "" where it has none."""
    if is_missing(value):
        return ""
    if not isinstance(value, str | int | float):
        raise ConfigError("data.not-text", field="data.text", place=place, source=source, kind=type(value).__name__)
    return _whole_characters(str(value).strip())


def _whole_characters(text: str) -> str:
    """JSON can escape half a character; what is left of it is no text for a tokenizer."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_class(value: Any, place: str, source: str) -> str:
    """The name of a row's class; 2.0 and 2 are one class."""
    if is_missing(value):
        raise ConfigError("data.no-label", field="data.label", place=place, source=source)
    if not isinstance(value, str | int | float):
        raise ConfigError("data.not-a-class", field="data.label", place=place, source=source, kind=type(value).__name__)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _whole_characters(str(value).strip())


def sorted_classes(names: set[str], rows: int, source: str) -> tuple[str, ...]:
    """Raises ConfigError for a lone class, and for a column that is no class."""
    if len(names) < 2:
        raise ConfigError("data.one-class", field="data.label", name=min(names), source=source)
    if len(names) > MOST_CLASSES and 2 * len(names) > rows:
        raise ConfigError("data.too-many-classes", field="data.label", classes=len(names), rows=rows, source=source)
    try:
        return tuple(sorted(names, key=lambda name: (float(name), name)))
    except ValueError:
        return tuple(sorted(names))
