"""What the columns of a table could be: by the config, by their names, by what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.config import DataConfig
from engine.datasets.columns import MESSAGES
from engine.datasets.conversations import turns_of
from engine.datasets.values import Cell, is_missing
from engine.errors import ConfigError
from engine.tasks import get_task

Role = Literal["text", "label", "messages", "prompt", "completion"]
Why = Literal["set", "name", "turns", "longest", "few"]

NAMES: dict[Role, tuple[str, ...]] = {
    "text": ("text", "sentence", "review", "content", "body", "document", "comment", "metin", "yorum", "cümle"),
    "label": ("label", "labels", "class", "category", "stars", "rating", "score", "sentiment", "tags", "target",
              "etiket", "sınıf", "kategori", "puan", "duygu"),
    "messages": MESSAGES,
    "prompt": ("prompt", "instruction", "question", "soru"),
    "completion": ("completion", "response", "answer", "output", "cevap", "yanıt"),
}  # fmt: skip

MOST_VALUES = 50
"""A column of more values than this is hardly a class."""


@dataclass(frozen=True)
class Guess:
    """What a column seems to be, and why; `distinct` values in the rows that were looked at, `filled` of them."""

    name: str
    kind: str
    distinct: int
    filled: int
    role: Role | None = None
    why: Why | None = None

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def guesses(columns: Sequence[str], rows: Sequence[Sequence[Any]], config: DataConfig, task: str) -> list[Guess]:
    """A guess a column, from `rows` of raw values; a role is given once, and only where the task has a use for it."""
    values = [[row[place] for row in rows] for place in range(len(columns))]
    roles: dict[str, tuple[Role, Why]] = {}
    for role in NAMES:
        name = getattr(config, role)
        if name in columns:
            roles[name] = (role, "set")
    taken = {role for role, _ in roles.values()}
    ways = _ways(config, task, columns)
    for way in ways:
        found = dict(roles)
        for role in way:
            one = None if role in taken else _found(role, columns, values, found)
            if one is not None:
                found[one[0]] = (role, one[1])
        if all(role in {each for each, _ in found.values()} for role in way) or way is ways[-1]:
            roles = found
            break
    return [
        Guess(
            name=name,
            kind=_kind(column),
            distinct=len({repr(value) for value in column}),
            filled=sum(not is_missing(value) for value in column),
            role=roles[name][0] if name in roles else None,
            why=roles[name][1] if name in roles else None,
        )
        for name, column in zip(columns, values, strict=True)
    ]


def _ways(config: DataConfig, task: str, columns: Sequence[str]) -> list[list[Role]]:
    """What rows can be made of: the first way for which there are all columns, else the last one."""
    if get_task(task).needs_label:
        return [["text", "label"]]
    if task != "text-generation" or config.text in columns:
        return [["text"]]
    if config.messages is not None or config.prompt is not None:
        return [[]]
    return [["messages"], ["prompt", "completion"], ["text"]]


def _found(
    role: Role, columns: Sequence[str], values: Sequence[Sequence[Any]], roles: dict[str, Any]
) -> tuple[str, Why] | None:
    free = [place for place, name in enumerate(columns) if name not in roles]
    if role == "messages":
        return next(((columns[place], "turns") for place in free if _is_talk(values[place])), None)
    named = {columns[place].lower(): columns[place] for place in free}
    for name in NAMES[role]:
        if name in named:
            return named[name], "name"
    if role in ("prompt", "completion"):
        return None
    if role == "text":
        length = {place: _mean_length(values[place]) for place in free}
        best = max(length, key=length.__getitem__, default=None)
        return None if best is None or length[best] == 0 else (columns[best], "longest")
    few = {place: len({repr(value) for value in values[place] if not is_missing(value)}) for place in free}
    able = [place for place, count in few.items() if 2 <= count <= min(MOST_VALUES, max(2, len(values[place]) // 2))]
    return (columns[min(able, key=few.__getitem__)], "few") if able else None


def _is_talk(values: Sequence[Any]) -> bool:
    first = next((value for value in values if not is_missing(value)), None)
    try:
        turns_of(Cell(first, "", ""))
    except ConfigError:
        return False
    return True


def _mean_length(values: Sequence[Any]) -> float:
    texts = [value for value in values if isinstance(value, str)]
    return sum(map(len, texts)) / len(values) if len(texts) > len(values) // 2 else 0.0


def _kind(values: Sequence[Any]) -> str:
    """What most of the values are."""
    kinds = [
        "list" if isinstance(value, list) else "number" if isinstance(value, int | float) else "text"
        for value in values
        if not is_missing(value)
    ]
    return max(set(kinds), key=kinds.count) if kinds else "nothing"
