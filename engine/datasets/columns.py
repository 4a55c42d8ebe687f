"""Which columns of a table are the text and the label, and the rows that they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from engine.config import DataConfig
from engine.datasets.labels import labelled
from engine.datasets.rows import Row, Rows
from engine.datasets.tagged import tagged
from engine.datasets.values import Cell, as_text, is_empty, is_missing
from engine.errors import ConfigError
from engine.tasks import get_task


def chosen(columns: Sequence[str], config: DataConfig, task: str, source: str) -> list[str]:
    """The names of the text column and, where the task wants one, of the label column.

    Raises ConfigError about `data.text` or `data.label`, naming the columns that there are.
    """
    wanted = {"text": config.text or "text"}
    if get_task(task).needs_label:
        wanted["label"] = config.label or usual_label(columns, task)
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


def usual_label(columns: Sequence[str], task: str) -> str:
    """`label`; the text that a text is to become may be called `target` too."""
    if task == "text2text-generation" and "label" not in columns and "target" in columns:
        return "target"
    return "label"


def rows_of(records: Iterable[tuple[str, Sequence[Any]]], config: DataConfig, task: str, source: str) -> Rows:
    """Rows, all of them for training, from the places and values of a table's rows.

    Each record holds the text or the text and the label. Rows of empty text are left out and counted.

    Raises ConfigError with the place of the row that can't be used.
    """
    texts: list[Cell] = []
    labels: list[Cell] = []
    empty = 0
    for place, (text, *label) in records:
        if is_empty(text):
            empty += 1
            continue
        texts.append(Cell(text, place, source))
        labels += [Cell(value, place, source) for value in label]
    if not texts:
        raise ConfigError("data.no-rows", field="data.text", source=source)
    rows = _rows(texts, labels, config, task)
    return replace(rows, notices=(("data.empty-rows", {"count": empty, "source": source}),)) if empty else rows


def _rows(texts: Sequence[Cell], labels: Sequence[Cell], config: DataConfig, task: str) -> Rows:
    if task == "token-classification":
        return tagged(texts, labels)
    if task == "text-classification":
        return labelled([as_text(text) for text in texts], labels, config.problem_type)
    rows: list[Row] = [{"text": as_text(text)} for text in texts]
    for row, label in zip(rows, labels, strict=bool(labels)):
        row["label"] = target(label)
    return Rows(rows)


def target(label: Cell) -> str:
    """The text that a row's text is to become."""
    if is_missing(label.value):
        raise label.wrong("data.no-label", "data.label")
    return as_text(label, "data.label")
