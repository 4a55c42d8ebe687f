"""The labels of text-classification: one class a row, several, or a number."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.config import ProblemType
from engine.datasets.built import class_of
from engine.datasets.values import Cell, as_class, as_number, distinct, float_of, is_missing, sorted_classes
from engine.errors import ConfigError

_BETWEEN = re.compile(r"[;|,]")

Names = tuple[str, ...] | None

Read = tuple[Sequence[Any], Names]
"""The label of each row, and the names of the classes."""


def read_labels(labels: Sequence[Cell], problem: ProblemType, known: Names = None) -> Read:
    """Goes through the labels more than once, and holds little of each. `known`: the classes are these and no others.

    Raises ConfigError with the place of a label that can't be used.
    """
    return READERS[problem](labels, known)


def problem_of(values: Iterable[Any]) -> ProblemType:
    """Lists are several classes, a number that is not whole makes a column of numbers, all else is one class.

    Texts count as numbers where all of them are numbers: those of a CSV file, which knows nothing but texts.
    """
    broken = fractions = lists = False
    numbers = True
    for value in values:
        if isinstance(value, list):
            lists = True
        elif not is_missing(value):
            number = float_of(value)
            numbers = numbers and number is not None
            if number is not None and not number.is_integer():
                broken = True
                fractions = fractions or isinstance(value, float)
    if lists:
        return "multi_label_classification"
    return "regression" if fractions or (numbers and broken) else "single_label_classification"


def one_class(labels: Sequence[Cell], known: Names) -> Read:
    names = known or sorted_classes(distinct(map(as_class, labels), labels), len(labels), labels[0].source)
    number = {name: index for index, name in enumerate(names)}
    return array("i", (class_of(label, number, "data.validation") for label in labels)), names


def several_classes(labels: Sequence[Cell], known: Names) -> Read:
    """A list, or a text with `;`, `|` or `,` between the classes; a row may have none."""
    names = known
    if names is None:
        every = distinct((name for label in labels for name in classes_of(label)), labels)
        if not every:
            raise ConfigError("data.no-classes", field="data.label", source=labels[0].source)
        names = sorted_classes(every, len(labels), labels[0].source) if len(every) > 1 else tuple(every)
    number = {name: index for index, name in enumerate(names)}
    shared: dict[tuple[int, ...], list[int]] = {}
    found = []
    for label in labels:
        row = sorted({class_of(label.with_value(name), number, "data.validation") for name in classes_of(label)})
        found.append(shared.setdefault(tuple(row), row))
    return found, names


def classes_of(label: Cell) -> list[str]:
    if isinstance(label.value, list):
        return [as_class(label.with_value(each)) for each in label.value]
    if isinstance(label.value, str):
        return [name for part in _BETWEEN.split(label.value) if (name := part.strip())]
    return [as_class(label)]


def a_number(labels: Sequence[Cell], known: Names) -> Read:
    return array("d", map(as_number, labels)), None


READERS: dict[ProblemType, Callable[[Sequence[Cell], Names], Read]] = {
    "single_label_classification": one_class,
    "multi_label_classification": several_classes,
    "regression": a_number,
}
