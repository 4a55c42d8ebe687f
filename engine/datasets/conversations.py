"""Conversations: a list of turns, each with who speaks and what is said."""

from __future__ import annotations

from typing import Any

from engine.datasets.values import Cell, is_missing, whole_characters

Turn = dict[str, str]

ASSISTANT = "assistant"

ROLES = {"human": "user", "gpt": ASSISTANT, "bot": ASSISTANT, "model": ASSISTANT}
"""What others call the roles."""

KEYS = (("role", "content"), ("from", "value"))
"""Who speaks and what is said; the second way is ShareGPT's."""


def turns_of(cell: Cell, *, answers: bool = True) -> list[Turn]:
    """The turns of a conversation, also from JSON text; `answers`: one of them must be the assistant's.

    Raises ConfigError with the row's place for what is none.
    """
    value: Any = cell.value
    if isinstance(value, str):
        value = _parsed(value)
    if not isinstance(value, list) or not value:
        raise cell.wrong("data.not-messages", "data.messages", kind=type(cell.value).__name__)
    turns = [_turn(each, number, cell) for number, each in enumerate(value, 1)]
    if answers and not any(turn["role"] == ASSISTANT for turn in turns):
        raise cell.wrong("data.no-answer", "data.messages", roles=", ".join(dict.fromkeys(t["role"] for t in turns)))
    return turns


def _turn(value: Any, number: int, cell: Cell) -> Turn:
    for role, content in KEYS:
        if isinstance(value, dict) and isinstance(value.get(role), str) and isinstance(value.get(content), str):
            who = value[role].strip()
            return {"role": ROLES.get(who, who), "content": whole_characters(value[content])}
    raise cell.wrong("data.not-a-turn", "data.messages", number=number)


def _parsed(text: str) -> Any:
    """A cell of a CSV file holds a list as JSON."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_blank(value: Any) -> bool:
    """Whether there is no turn at all."""
    return is_missing(value) or (isinstance(value, list) and not value)
