"""`preview`: all that is to be seen of data before it is trained on, ready for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.answering.loop import told
from engine.config import RunConfig
from engine.datasets import Rows
from engine.errors import WORDING, ConfigError
from engine.models.tokenizers import load_tokenizer
from engine.previews.guess import guesses
from engine.previews.looked_at import LookedAt, look_at, rows_looked_at
from engine.previews.tokens import examples, lengths, padding, sample_of
from engine.tasks import get_task

FIRST = 5
LOOKED_INTO = 200
MOST_CHARACTERS = 300
"""Of a cell."""

MOST_CLASSES = 50


def preview(config: RunConfig, *, cache: Path, load: Callable[..., Any] = load_tokenizer) -> dict[str, Any]:
    """What the data of `config` looks like to its model. `load` gives the tokenizer, as `load_tokenizer` does.

    `first` (rows, raw), `columns` (with guesses), `rows` (how many; `whole`: whether that is all), `classes`,
    `lengths`, `padding`, `examples`, `notices`. What can't be told is None, and `fault` says why.

    Raises ConfigError where not even the columns can be read.
    """
    looked = look_at(config, cache)
    raw = [values for _, values in looked.records[:LOOKED_INTO]]
    found: dict[str, Any] = {
        "name": looked.name,
        "whole": looked.whole,
        "first": {
            "columns": looked.columns,
            "rows": [{"place": place, "cells": [_cut(one) for one in row]} for place, row in looked.records[:FIRST]],
        },
        "columns": [guess.to_dict() for guess in guesses(looked.columns, raw, config.data, config.task)],
        "looked_into": len(raw),
        **dict.fromkeys(("rows", "classes", "lengths", "padding", "fault")),
        "examples": [],
        "notices": [],
    }
    try:
        _tell(found, looked, config, cache, load)
    except ConfigError as fault:
        found["fault"] = told(fault)
    return found


def _tell(found: dict[str, Any], looked: LookedAt, config: RunConfig, cache: Path, load: Callable[..., Any]) -> None:
    rows = rows_looked_at(looked, config, cache)
    found["rows"] = {"train": len(rows.train), "evaluation": len(rows.evaluation)}
    found["classes"] = _classes(rows)
    found["notices"] = [_notice(code, values) for code, values in rows.notices]
    task = get_task(config.task)
    tokenizer = load(config.model, texts=rows.texts, cache=cache)
    sample = sample_of(rows, config.seed)
    encoded = task.encode(sample, tokenizer, config.data.max_length)
    found["notices"] += [_notice(code, values) for code, values in encoded.notices if code != "task.cut-rows"]
    found["lengths"] = lengths(sample, task, tokenizer, config.data.max_length)
    if encoded:
        found["padding"] = padding(encoded, task, config)
        found["examples"] = examples(encoded, task, tokenizer, rows.labels or (), config.seed)


def _classes(rows: Rows) -> dict[str, Any] | None:
    """How many rows of each class are trained and evaluated on, the most frequent first; None without classes."""
    if not rows.labels:
        return None
    train, evaluation = (_counted(part) for part in (rows.train, rows.evaluation))
    order = sorted(range(len(rows.labels)), key=lambda one: (-train[one], one))
    shown, others = order[:MOST_CLASSES], order[MOST_CLASSES:]
    return {
        "names": [rows.labels[one][:MOST_CHARACTERS] for one in shown],
        "train": [train[one] for one in shown],
        "evaluation": [evaluation[one] for one in shown],
        "others": len(others),
        "others_train": sum(train[one] for one in others),
    }


def _counted(rows: Sequence[Any]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for row in rows:
        label = row["label"]
        counts.update(label if isinstance(label, list) else [label])
    return counts


def _notice(code: str, values: dict[str, Any]) -> dict[str, Any]:
    words = WORDING[code]
    message, remedy = (each.format(**values) for each in words)
    return {"code": code, "values": values, "message": message, "remedy": remedy}


def _cut(value: Any) -> str | None:
    """A cell as text; None where it holds nothing."""
    if value is None:
        return None
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
