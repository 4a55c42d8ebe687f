"""From the records of a table to rows, each checked as it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.config import DataConfig
from engine.datasets.built import OfClasses, OfConversations, OfPairs, OfTags, OfTexts, Row, class_of, target
from engine.datasets.columns import Chosen, Way
from engine.datasets.conversations import is_blank
from engine.datasets.labels import Names, problem_of, read_labels
from engine.datasets.rows import Rows
from engine.datasets.table import RecordValues, Table, read_table
from engine.datasets.values import Cell, as_text, distinct, is_empty, is_missing, sorted_classes
from engine.datasets.words import tags_of, words_of
from engine.errors import ConfigError

TOKENS, CLASSIFICATION = "token-classification", "text-classification"

PLAIN = (str, int, float, list, dict, type(None))
"""What a label's value may be, before it is known what labels are here."""

Records = Iterable[tuple[str, Sequence[Any]]]


def rows_of(
    records: Records,
    columns: Chosen,
    config: DataConfig,
    task: str,
    source: str,
    *,
    folder: Path | None = None,
    like: Rows | None = None,
) -> Rows:
    """Rows, all of them for training, from the places and values of a table's rows.

    Rows without text are left out and counted. With a `folder` the table is kept there, and a row made as it is asked
    for. `like`: rows whose classes these have as well.

    Raises ConfigError with the place of the row that can't be used.
    """
    table = read_table(_checked(records, columns.way, task, source), source, folder)
    if not len(table):
        raise ConfigError("data.no-rows", field="data.text", source=source)
    rows = _rows(table, columns.way, config, task, like)
    if not table.on_disk:
        rows = replace(rows, train=list(rows.train))
    return replace(rows, notices=tuple(_notices(table)), table=table)


def _checked(records: Records, way: Way, task: str, source: str) -> Iterator[tuple[RecordValues, bool]]:
    """Each record, and whether it is left out; what can be told wrong of it alone is told here."""
    for place, values in records:
        cells = [Cell(value, place, source) for value in values]
        empty = is_blank(values[0]) if way == "messages" else is_empty(values[0]) and not isinstance(values[0], dict)
        if way == "pair":
            empty = is_blank(values[0]) and is_blank(values[1])
        if not empty:
            _check(cells, way, task)
        yield [place, *values], empty


def _check(cells: Sequence[Cell], way: Way, task: str) -> None:
    if way == "messages":
        OfConversations(cells)[0]
    elif way == "pair":
        OfPairs(cells[:1], cells[1:])[0]
    elif task == TOKENS:
        tags_of(cells[1], len(words_of(cells[0])))
    else:
        as_text(cells[0])
        if task == CLASSIFICATION and not isinstance(cells[1].value, PLAIN):
            raise cells[1].wrong("data.not-a-class", "data.label", kind=type(cells[1].value).__name__)
        if task not in (TOKENS, CLASSIFICATION) and len(cells) > 1:
            target(cells[1])


def _rows(table: Table, way: Way, config: DataConfig, task: str, like: Rows | None) -> Rows:
    texts = table.column(0)
    if way == "messages":
        return Rows(OfConversations(texts))
    if way == "pair":
        return Rows(OfPairs(texts, table.column(1)))
    known = like.labels if like else None
    if task == TOKENS:
        names = known or _tag_names(table)
        return Rows(OfTags(texts, _known_tags(table, known), {name: n for n, name in enumerate(names)}), labels=names)
    if task == CLASSIFICATION:
        labels = table.column(1)
        problem = (like or config).problem_type or problem_of(label.value for label in labels)
        values, classes = read_labels(labels, problem, known)
        return Rows(OfClasses(texts, values), labels=classes, problem_type=problem)
    return Rows(OfTexts(texts, table.column(1) if table.records and len(table.records[0]) > 2 else None))


def _tag_names(table: Table) -> tuple[str, ...]:
    texts, labels = table.column(0), table.column(1)
    tags = (tag for text, label in zip(texts, labels, strict=True) for tag in tags_of(label, len(words_of(text))))
    return sorted_classes(distinct(tags, labels), len(labels), labels[0].source)


def _known_tags(table: Table, known: Names) -> Sequence[Cell]:
    """The tags' cells. Raises ConfigError where one is none of those that are `known`."""
    tags = table.column(1)
    if known is not None:
        number = {name: index for index, name in enumerate(known)}
        for text, label in zip(table.column(0), tags, strict=True):
            for tag in tags_of(label, len(words_of(text))):
                class_of(label.with_value(tag), number, "data.validation")
    return tags


def _notices(table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
    if table.empty:
        yield "data.empty-rows", {"count": table.empty, "source": table.source}
    if repeated := table.repeated:
        yield "data.repeated-rows", {"count": repeated, "rows": len(table), "source": table.source}


def stream_row(cells: Sequence[Cell], way: Way, task: str, rows: Rows) -> Row | None:
    """A row of a stream by itself, None where it holds no text; `rows` says which classes there are."""
    if is_missing(cells[0].value):
        return None
    if way == "messages":
        return OfConversations(cells)[0]
    if way == "pair":
        return OfPairs(cells[:1], cells[1:])[0]
    number = {name: index for index, name in enumerate(rows.labels or ())}
    if task == TOKENS:
        return OfTags(cells[:1], cells[1:], number)[0]
    if task == CLASSIFICATION:
        assert rows.problem_type is not None
        values, _ = read_labels(cells[1:], rows.problem_type, rows.labels)
        return OfClasses(cells[:1], values)[0]
    return OfTexts(cells[:1], cells[1:] or None)[0]
