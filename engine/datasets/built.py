"""Rows that are made of a table as they are asked for, so that a large file is never held whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.datasets.conversations import turns_of
from engine.datasets.sliced import Sliced
from engine.datasets.values import Cell, as_class, as_text, is_missing
from engine.datasets.words import tags_of, words_of

Row = dict[str, Any]


class RowsFrom(Sliced[Row]):
    """A sequence that makes each row anew. `classes`: the label of each row where it decides how rows are split."""

    classes: Sequence[Any] | None = None


class OfTexts(RowsFrom):
    """A text, and the text that it is to become where `targets` are given."""

    def __init__(self, texts: Sequence[Cell], targets: Sequence[Cell] | None = None) -> None:
        self.texts = texts
        self.targets = targets

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, place: int) -> Row:
        row: Row = {"text": as_text(self.texts[place])}
        return row if self.targets is None else {**row, "label": target(self.targets[place])}


def target(label: Cell) -> str:
    """The text that a row's text is to become."""
    if is_missing(label.value):
        raise label.wrong("data.no-label", "data.label")
    return as_text(label, "data.label")


class OfClasses(RowsFrom):
    """A text and its label, which is known."""

    def __init__(self, texts: Sequence[Cell], labels: Sequence[Any]) -> None:
        self.texts = texts
        self.classes: Sequence[Any] = labels

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, place: int) -> Row:
        return {"text": as_text(self.texts[place]), "label": self.classes[place]}


@dataclass(frozen=True)
class OfTags(RowsFrom):
    """Words and the number of each one's tag."""

    texts: Sequence[Cell]
    tags: Sequence[Cell]
    number: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, place: int) -> Row:
        words = words_of(self.texts[place])
        tags = tags_of(self.tags[place], len(words))
        return {"text": " ".join(words), "words": words, "label": [self.number[tag] for tag in tags]}


class OfConversations(RowsFrom):
    """The turns of a conversation; those of the assistant are to be learnt."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells

    def __len__(self) -> int:
        return len(self.cells)

    def at(self, place: int) -> Row:
        cell = self.cells[place]
        return {"messages": turns_of(cell), "place": f"{cell.source}, {cell.place}"}


class OfPairs(RowsFrom):
    """What is asked, and the answer that is to be learnt; two lists of turns are one conversation."""

    def __init__(self, prompts: Sequence[Cell], completions: Sequence[Cell]) -> None:
        self.prompts = prompts
        self.completions = completions

    def __len__(self) -> int:
        return len(self.prompts)

    def at(self, place: int) -> Row:
        prompt, completion = self.prompts[place], self.completions[place]
        where = f"{prompt.source}, {prompt.place}"
        if isinstance(prompt.value, list):
            before, after = turns_of(prompt, answers=False), turns_of(completion)
            return {"messages": before + after, "learnt_from": len(before), "place": where}
        if is_missing(completion.value):
            raise completion.wrong("data.no-completion", "data.completion")
        # spaces count: where one ends and the other begins is the writer's to say
        return {
            "prompt": as_text(prompt, "data.prompt", strip=False),
            "completion": as_text(completion, "data.completion", strip=False),
            "place": where,
        }


class Places(Sliced[Row]):
    """Some of the rows, in an order of their own."""

    def __init__(self, rows: Sequence[Row], places: Sequence[int]) -> None:
        self.rows = rows
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    def at(self, place: int) -> Row:
        return self.rows[int(self.places[place])]


def class_of(cell: Cell, number: Mapping[str, int], field: str) -> int:
    """The number of a row's class. Raises ConfigError `data.unseen-label` for one that `number` does not know."""
    name = as_class(cell)
    if name not in number:
        raise cell.wrong("data.unseen-label", field, value=name, known=", ".join([*number][:20]))
    return number[name]
