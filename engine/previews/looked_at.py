"""The first rows of data with all their columns, raw, and as much of it as is quickly read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from engine import datasets
from engine.config import RunConfig
from engine.datasets import BUILT_IN, QUICK_BYTES, Rows
from engine.datasets.columns import Chosen, chosen
from engine.datasets.files.source import source_of
from engine.datasets.hub_rows import first_records
from engine.datasets.own_file import path_of
from engine.datasets.reading import rows_of
from engine.errors import ConfigError
from engine.tasks import get_task

MOST_ROWS = 20_000
MOST_CHARACTERS = 2**25
"""Of data that is not quickly read whole, this much from its beginning."""


@dataclass
class LookedAt:
    """`columns` and raw `records` (place, values); `whole`: whether there are no others. `fault`: why it stopped."""

    name: str
    columns: list[str]
    records: list[tuple[str, Sequence[Any]]] = field(default_factory=list)
    whole: bool = True
    fault: ConfigError | None = None


def look_at(config: RunConfig, cache: Path) -> LookedAt:
    """Raises ConfigError where not even the columns can be told."""
    data = config.data
    if data.name is not None:
        return _built_in(config)
    if data.hub is not None:
        columns, records, whole = first_records(data, cache, MOST_ROWS)
        return _taken(LookedAt(data.hub, columns), records, most=None if whole else MOST_ROWS)
    source = source_of(path_of(data), data.encoding, labelled=get_task(config.task).needs_label)
    columns = source.columns() or ["text"]
    most = None if source.size() <= QUICK_BYTES else MOST_ROWS
    return _taken(LookedAt(source.name, columns), source.records(columns), most)


def _taken(looked: LookedAt, records: Iterable[tuple[str, Sequence[Any]]], most: int | None) -> LookedAt:
    size = 0
    try:
        for record in islice(records, most):
            looked.records.append(record)
            size += sum(len(value) for value in record[1] if isinstance(value, str))
            if most is not None and size > MOST_CHARACTERS:
                break
    except ConfigError as fault:
        looked.fault = fault
    looked.whole = most is None
    return looked


def _built_in(config: RunConfig) -> LookedAt:
    datasets.check(config.data, config.task)
    data = BUILT_IN[config.data.name or ""]
    view = datasets.view_of(config.data, config.task)
    table = data.rows(config.seed)
    columns = [column for column in (view.text, view.label) if column is not None]

    def shown(value: Any, column: str) -> Any:
        if column != view.label or view.labels is None:
            return value
        return [view.labels[one] for one in value] if isinstance(value, list) else view.labels[value]

    records: list[tuple[str, Sequence[Any]]] = [
        (f"row {n}", [shown(row[name], name) for name in columns]) for n, row in enumerate(table, 1)
    ]
    return LookedAt(config.data.name or "", columns, records)


def rows_looked_at(looked: LookedAt, config: RunConfig, cache: Path) -> Rows:
    """As a run would have them, split and all, where they are whole; else those of the beginning, none held out.

    Raises ConfigError as `engine.datasets.load`.
    """
    data, task = config.data, config.task
    if looked.fault is not None:
        raise looked.fault
    if looked.whole and data.hub is None:
        return datasets.load(data, task, seed=config.seed, cache=cache)
    if looked.columns == ["text"]:
        columns = Chosen("text", ["text"])
    else:
        columns = chosen(looked.columns, data, task, looked.name)
    places = [looked.columns.index(name) for name in columns.columns]
    records = [(place, [values[at] for at in places]) for place, values in looked.records]
    try:
        return rows_of(records, columns, data, task, looked.name)
    except ConfigError as fault:
        if looked.whole or fault.code != "data.one-class":
            raise
        # the beginning of a file that is sorted by its classes
        only = Rows((), labels=(fault.values["name"],), problem_type="single_label_classification")
        return rows_of(records, columns, data, task, looked.name, like=only)
