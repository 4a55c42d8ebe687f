"""The data that Birikim brings or makes itself, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engine.config import ProblemType
from engine.datasets.entities import TAGS, entities
from engine.datasets.numerals import numerals
from engine.datasets.python_docs import paragraphs
from engine.datasets.reviews import reviews
from engine.datasets.reviews.language import TOPICS
from engine.datasets.rows import Row, Rows, split
from engine.datasets.sentiment import LABELS as SENTIMENTS
from engine.datasets.sentiment import sentiment
from engine.datasets.stdlib_docstrings import PACKAGES, docstrings
from engine.datasets.sums import sums

EVAL_ROWS = 200

GENERATION, CLASSIFICATION, FILL_MASK = "text-generation", "text-classification", "fill-mask"
TOKENS, TEXT_TO_TEXT = "token-classification", "text2text-generation"


@dataclass(frozen=True)
class View:
    """What the columns of a table are for a task: the text, the label, and the names of its classes."""

    task: str
    text: str = "text"
    label: str | None = None
    labels: tuple[str, ...] | None = None
    problem_type: ProblemType | None = None

    def row(self, values: Row) -> Row:
        """The row that the task trains on, out of a table's row."""
        row = {"text": values[self.text]}
        if self.task == TOKENS:
            row["words"] = row["text"].split()
        return row if self.label is None else {**row, "label": values[self.label]}


TEXT = (View(GENERATION), View(FILL_MASK))


WRITING = View(TEXT_TO_TEXT, text="source", label="target")


def classes(labels: tuple[str, ...]) -> View:
    return View(CLASSIFICATION, label="label", labels=labels, problem_type="single_label_classification")


@dataclass(frozen=True)
class BuiltIn:
    """Data by name. `views`: what can be learnt from it; the first one is what it is made for."""

    name: str
    views: tuple[View, ...]
    rows: Callable[[int], list[Row]]
    """All rows of the table, from a seed; their order carries no meaning."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """What the data can train."""
        return tuple(dict.fromkeys(view.task for view in self.views))

    @property
    def columns(self) -> tuple[str, ...]:
        named = [name for view in self.views for name in (view.text, view.label) if name is not None]
        return tuple(dict.fromkeys(named))

    def load(self, seed: int, eval_rows: int | None = None, view: View | None = None) -> Rows:
        """Shuffled and split by `seed`, alike for every view; `eval_rows` (None: `EVAL_ROWS`) rows are held out."""
        table, first = _table(self.rows, seed), self.views[0]
        view = view or first
        labels = [None if first.label is None else values[first.label] for values in table]
        places = split(labels, EVAL_ROWS if eval_rows is None else eval_rows, seed)
        train, evaluation = ([view.row(table[place]) for place in part] for part in places)
        return Rows(train, evaluation, labels=view.labels, problem_type=view.problem_type)


@lru_cache(maxsize=4)
def _table(make: Callable[[int], list[Row]], seed: int) -> list[Row]:
    """Made once for all the runs, predictions and previews that read it; nobody changes it."""
    return make(seed)


def _python_docs(seed: int) -> list[Row]:
    return [{"text": text} for text in paragraphs()]


def _stdlib_docstrings(seed: int) -> list[Row]:
    return [{"text": text, "label": PACKAGES.index(package)} for text, package in docstrings()]


def _sums(seed: int) -> list[Row]:
    halves = ((text, *text.split(" = ")) for text in sums(seed))
    return [{"text": text, "source": f"{left.replace(' ', '')}=", "target": right} for text, left, right in halves]


def _numerals(seed: int) -> list[Row]:
    pairs = numerals(seed)
    return [{"text": f"{words} = {digits}", "source": words, "target": digits} for words, digits in pairs]


def _sentiment(seed: int) -> list[Row]:
    return [{"text": text, "label": label} for text, label in sentiment(seed)]


def _entities(seed: int) -> list[Row]:
    return [
        {"text": " ".join(word for word, _ in row), "tags": [TAGS.index(tag) for _, tag in row]}
        for row in entities(seed)
    ]


def _reviews(seed: int) -> list[Row]:
    return [{"text": text, "topics": topics, "score": score} for text, topics, score in reviews(seed)]


JUDGED = (
    View(CLASSIFICATION, label="topics", labels=TOPICS, problem_type="multi_label_classification"),
    View(CLASSIFICATION, label="score", problem_type="regression"),
)

BUILT_IN: dict[str, BuiltIn] = {
    data.name: data
    for data in (
        BuiltIn("stdlib-docstrings", (classes(PACKAGES), *TEXT), _stdlib_docstrings),
        BuiltIn("sentiment", (classes(SENTIMENTS), *TEXT), _sentiment),
        BuiltIn("python-docs", TEXT, _python_docs),
        BuiltIn("sums", (*TEXT, WRITING), _sums),
        BuiltIn("numerals", (WRITING, *TEXT), _numerals),
        BuiltIn("entities", (View(TOKENS, label="tags", labels=TAGS), *TEXT), _entities),
        BuiltIn("reviews", (*JUDGED, *TEXT), _reviews),
    )
}
