"""The data that Birikim brings or makes itself, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.datasets.python_docs import paragraphs
from engine.datasets.rows import Row, Rows
from engine.datasets.sentiment import LABELS as SENTIMENTS
from engine.datasets.sentiment import sentiment
from engine.datasets.stdlib_docstrings import PACKAGES, docstrings
from engine.datasets.sums import sums

EVAL_ROWS = 200


@dataclass(frozen=True)
class BuiltIn:
    """Data by name. `tasks`: what it can train; `labels`: its classes, where it has some."""

    name: str
    tasks: tuple[str, ...]
    labels: tuple[str, ...] | None
    rows: Callable[[int], list[Row]]
    """All rows, from a seed; their order carries no meaning."""

    def load(self, seed: int, eval_rows: int | None = None) -> Rows:
        """Shuffled and split by `seed`; `eval_rows` of them (None: `EVAL_ROWS`) are held out."""
        rows = Rows(self.rows(seed), labels=self.labels)
        return rows.held_out(EVAL_ROWS if eval_rows is None else eval_rows, seed)


def _python_docs(seed: int) -> list[Row]:
    return [{"text": text} for text in paragraphs()]


def _stdlib_docstrings(seed: int) -> list[Row]:
    return [{"text": text, "label": PACKAGES.index(package)} for text, package in docstrings()]


def _sums(seed: int) -> list[Row]:
    return [{"text": text} for text in sums(seed)]


def _sentiment(seed: int) -> list[Row]:
    return [{"text": text, "label": label} for text, label in sentiment(seed)]


GENERATION, CLASSIFICATION = "text-generation", "text-classification"

BUILT_IN: dict[str, BuiltIn] = {
    data.name: data
    for data in (
        BuiltIn("stdlib-docstrings", (CLASSIFICATION, GENERATION), PACKAGES, _stdlib_docstrings),
        BuiltIn("sentiment", (CLASSIFICATION, GENERATION), SENTIMENTS, _sentiment),
        BuiltIn("python-docs", (GENERATION,), None, _python_docs),
        BuiltIn("sums", (GENERATION,), None, _sums),
    )
}
