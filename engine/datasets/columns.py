"""Which columns of a table a row is made of: a text and its label, a conversation, or a prompt and its completion."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, NamedTuple

from engine.config import DataConfig
from engine.errors import ConfigError
from engine.tasks import get_task

Way = Literal["text", "messages", "pair"]
"""What a row is: a text (with its label where the task has some), a conversation, or a question and its answer."""

GENERATION = "text-generation"

MESSAGES, PAIR = ("messages", "conversations"), ("prompt", "completion")
"""What the columns of conversations and of questions with answers are called most often."""


class Chosen(NamedTuple):
    way: Way
    columns: list[str]
    """In the order in which a record holds their values."""


def chosen(columns: Sequence[str], config: DataConfig, task: str, source: str) -> Chosen:
    """Those that the config names, else those with the usual names.

    Raises ConfigError about the key of the column that is not there, naming the columns that there are.
    """
    way, wanted = _wanted(columns, config, task)
    for key, name in wanted.items():
        if name not in columns:
            if key == "text" and (talks := _talks_in(columns)):
                code = "data.not-as-conversations" if task == GENERATION else "data.conversations-task"
                raise ConfigError(code, field="data.text", name=name, source=source, messages=talks, task=task)
            near = get_close_matches(name, columns, n=1, cutoff=0.7)
            raise ConfigError(
                "data.no-column",
                field=f"data.{key}", name=name, source=source,
                columns=", ".join(columns), suggestion=near[0] if near else (columns or [key])[0],
            )  # fmt: skip
    if len(set(wanted.values())) < len(wanted):
        raise ConfigError("data.one-column", field=f"data.{[*wanted][1]}", name=next(iter(wanted.values())))
    return Chosen(way, list(wanted.values()))


def _wanted(columns: Sequence[str], config: DataConfig, task: str) -> tuple[Way, dict[str, str]]:
    for key in ("messages", "prompt"):
        if getattr(config, key) is not None and task != GENERATION:
            raise ConfigError("data.chat-task", field=f"data.{key}", task=task)
    unnamed = config.text is None and task == GENERATION and "text" not in columns
    messages = config.messages or (_talks_in(columns) if unnamed else None)
    if messages and config.prompt is None:
        return "messages", {"messages": messages}
    if config.prompt and config.completion:
        return "pair", {"prompt": config.prompt, "completion": config.completion}
    if unnamed and all(name in columns for name in PAIR):
        return "pair", dict(zip(PAIR, PAIR, strict=True))
    wanted = {"text": config.text or "text"}
    if get_task(task).needs_label:
        wanted["label"] = config.label or usual_label(columns, task)
    return "text", wanted


def _talks_in(columns: Sequence[str]) -> str | None:
    return next((name for name in MESSAGES if name in columns), None)


def usual_label(columns: Sequence[str], task: str) -> str:
    """`label`; the text that a text is to become may be called `target` too."""
    if task == "text2text-generation" and "label" not in columns and "target" in columns:
        return "target"
    return "label"
