"""The labels of text-classification: one class a row, several, or a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from engine.config import ProblemType
from engine.datasets.rows import Row, Rows
from engine.datasets.values import Cell, as_class, as_number, float_of, is_missing, sorted_classes
from engine.errors import ConfigError

_BETWEEN = re.compile(r"[;|,]")


def labelled(texts: Sequence[str], labels: Sequence[Cell], problem_type: ProblemType | None) -> Rows:
    """Rows of `texts` with their labels; without a `problem_type` the values tell what they are."""
    problem = problem_type or problem_of([label.value for label in labels])
    values, names = READERS[problem](labels)
    rows: list[Row] = [{"text": text, "label": value} for text, value in zip(texts, values, strict=True)]
    return Rows(rows, labels=names, problem_type=problem)


def problem_of(values: Sequence[Any]) -> ProblemType:
    """Lists are several classes, a number that is not whole makes a column of numbers, all else is one class.

    Texts count as numbers where all of them are numbers: those of a CSV file, which knows nothing but texts.
    """
    if any(isinstance(value, list) for value in values):
        return "multi_label_classification"
    given = [value for value in values if not is_missing(value)]
    numbers = [float_of(value) for value in given]
    broken = [number is not None and not number.is_integer() for number in numbers]
    fractions = any(is_broken and isinstance(value, float) for is_broken, value in zip(broken, given, strict=True))
    if fractions or (None not in numbers and any(broken)):
        return "regression"
    return "single_label_classification"


Read = tuple[list[Any], tuple[str, ...] | None]
"""The label of each row, and the names of the classes."""


def one_class(labels: Sequence[Cell]) -> Read:
    found = [as_class(label) for label in labels]
    names = sorted_classes(set(found), len(found), labels[0].source)
    number = {name: index for index, name in enumerate(names)}
    return [number[name] for name in found], names


def several_classes(labels: Sequence[Cell]) -> Read:
    """A list, or a text with `;`, `|` or `,` between the classes; a row may have none."""
    found = [classes_of(label) for label in labels]
    every = {name for names in found for name in names}
    if not every:
        raise ConfigError("data.no-classes", field="data.label", source=labels[0].source)
    names = sorted_classes(every, len(found), labels[0].source) if len(every) > 1 else tuple(every)
    number = {name: index for index, name in enumerate(names)}
    return [sorted({number[name] for name in row}) for row in found], names


def classes_of(label: Cell) -> list[str]:
    if isinstance(label.value, list):
        return [as_class(label.with_value(each)) for each in label.value]
    if isinstance(label.value, str):
        return [name for part in _BETWEEN.split(label.value) if (name := part.strip())]
    return [as_class(label)]


def a_number(labels: Sequence[Cell]) -> Read:
    return [as_number(label) for label in labels], None


READERS: dict[ProblemType, Callable[[Sequence[Cell]], Read]] = {
    "single_label_classification": one_class,
    "multi_label_classification": several_classes,
    "regression": a_number,
}
