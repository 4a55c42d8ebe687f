"""What a run's file may hold, value by value: it comes from anyone. Each check raises ValueError."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_args

from engine.events import ALIVE, SampleKind, State
from engine.store import whole
from engine.store.keeping import checked_notes, checked_tags, checked_title

DEEPEST = 32
LONGEST_TEXT = 2**20
MOST = 2**53
LONGEST_SHORT = 300
"""Characters of what stands in a table's cell or a sentence."""
FURTHEST = 1e11
"""Unix seconds of a time that is one."""


def _must(holds: bool) -> None:
    if not holds:
        raise ValueError


def _whole(value: Any) -> None:
    # a million rows have fourteen values each: nothing more is called for one
    if type(value) is not int or not 0 <= value < MOST:
        raise ValueError


def _number(value: Any) -> None:
    """Of a number that was none JSON keeps nothing."""
    kind = type(value)
    if kind is float:
        _must(math.isfinite(value))
    elif value is not None and (kind is not int or not -MOST < value < MOST):
        raise ValueError


def _text(value: Any) -> None:
    _must(isinstance(value, str) and len(value) <= LONGEST_TEXT)


def _yes_or_no(value: Any) -> None:
    _must(isinstance(value, bool))


def _anything(value: Any, deep: int = 0) -> None:
    _must(deep <= DEEPEST)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        _anything(each, deep + 1)


def _object(value: Any) -> None:
    _must(isinstance(value, dict))
    _anything(value)


def _list_of(check: Callable[[Any], None]) -> Callable[[Any], None]:
    def each(value: Any) -> None:
        _must(isinstance(value, list))
        for one in value:
            check(one)

    return each


def _or_none(check: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda value: None if value is None else check(value)


def _metrics(value: Any) -> None:
    _object(value)
    for each in value.values():
        _number(each)


def _sample_kind(value: Any) -> None:
    _must(isinstance(value, str) and value in get_args(SampleKind))


def _short_text(value: Any) -> None:
    _must(isinstance(value, str) and len(value) <= LONGEST_SHORT)


def _short(value: Any) -> None:
    if isinstance(value, str):
        _short_text(value)
    else:
        _number(value)


def _named(value: Any) -> None:
    """An object of short texts or numbers."""
    _must(isinstance(value, dict))
    for name, inner in value.items():
        _short_text(name)
        _short(inner)


def _order(value: Any) -> None:
    _must(value is None or (isinstance(value, str) and value in ("sorted", "random")))


CHECKS: dict[str, Callable[[Any], None]] = {
    "int": _whole,
    "int | None": _or_none(_whole),
    "float": _number,
    "float | None": _number,
    "str": _text,
    "bool": _yes_or_no,
    "Any": _anything,
    "SampleKind": _sample_kind,
    "dict[str, float]": _metrics,
    "dict[str, Any]": _object,
    "dict[str, Any] | None": _or_none(_object),
    "list[bool]": _list_of(_yes_or_no),
    "list[float | None]": _list_of(_number),
    "list[dict[str, Any]]": _list_of(_object),
}
"""By how an event writes the type of its field."""


def _fields(event: type[Any]) -> dict[str, Callable[[Any], None]]:
    return {field.name: CHECKS[str(field.type)] for field in fields(event) if field.name != "run"}


_ROWS = {name: list(_fields(table.event).values()) for name, table in whole.TABLES.items() if name != "seen"}
_SEEN = {kind: _fields(event) for kind, event in whole.SEEN.items()}

_KEYS: dict[str, tuple[str, ...]] = {
    "updates": ("update",),
    "micro_batches": ("update", "index"),
    "evaluations": ("update",),
}
"""What counts up from row to row."""
_PLACES = {name: [whole.TABLES[name].columns.index(key) for key in keys] for name, keys in _KEYS.items()}


def checked_row(name: str, row: Any) -> list[Any]:
    """A row of a table, by its columns."""
    table = whole.TABLES[name]
    _must(isinstance(row, list) and len(row) == len(table.columns))
    if name == "seen":
        kind, told = row
        _must(isinstance(kind, str) and kind in _SEEN and isinstance(told, dict) and told.keys() == _SEEN[kind].keys())
        for field, check in _SEEN[kind].items():
            check(told[field])
        return [kind, told]
    for check, value in zip(_ROWS[name], row, strict=True):
        check(value)
    if name in ("updates", "micro_batches"):
        _must(row[0] >= 1)
    if name == "samples":
        _sample(dict(zip(table.columns, row, strict=True)))
    return list(row)


def is_later(name: str, before: list[Any], row: list[Any]) -> bool:
    """Whether a row may follow another one of its table."""
    places = _PLACES.get(name, ())
    return not places or [before[place] for place in places] < [row[place] for place in places]


def _sample(row: dict[str, Any]) -> None:
    """What is wanted and got is of the sample's kind."""
    texts = row["kind"] in ("classes", "tags", "masks")
    for name in ("wanted", "got"):
        value = row[name]
        if texts:
            _or_none(_list_of(_text))(value)
        else:
            _or_none(_number if row["kind"] == "number" else _text)(value)
    for score in row["scores"]:
        _must(score.keys() == {"name", "score"})
        _text(score["name"])
        _number(score["score"])


def checked_head(found: dict[str, Any]) -> dict[str, Any]:
    """The run's own values, and its number in its home as `id`."""
    _must(found.keys() == {"id", *whole.HEAD})
    _whole(found["id"])
    for name in ("name", "title", "notes", "code", "message", "remedy"):
        _text(found[name])
    _list_of(_text)(found["tags"])
    _must(isinstance(found["state"], str) and found["state"] in set(get_args(State)) - ALIVE)
    for name in ("config", "values"):
        _object(found[name])
    for name, check in (("facts", _facts), ("request", _object), ("plan", _plan)):
        _or_none(check)(found[name])
    for name in ("created", "started", "ended"):
        _number(found[name])
        _must(found[name] is None or 0 <= found[name] <= FURTHEST)
    _must(found["created"] is not None)
    title, notes, tags = checked_title(found["title"]), checked_notes(found["notes"]), checked_tags(found["tags"])
    return {**found, "title": title, "notes": notes, "tags": tags}


_COUNTED = ("micro_batch", "accumulation_steps", "processes", "updates_total", "effective_batch")
"""Of a plan; without one of each there is no training."""


def _plan(value: Any) -> None:
    _object(value)
    for each in value.values():
        _must(each is None or isinstance(each, bool | int | float))
    for name in (*_COUNTED, "rows"):
        _whole(value.get(name))
    _must(all(value[name] >= 1 for name in _COUNTED))


def _rank(value: Any) -> None:
    """What is known of one of several processes; what a later version adds is any plain value."""
    _object(value)
    _whole(value.get("rank"))
    _or_none(_short_text)(value.get("device"))
    _or_none(_whole)(value.get("peak_bytes"))


_FACTS: dict[str, Callable[[Any], None]] = {
    **dict.fromkeys(("model_class", "device", "precision", "data_digest", "evaluation_digest"), _or_none(_short_text)),
    **dict.fromkeys(("parameters", "trainable", "threads", "rows", "evaluation_rows"), _or_none(_whole)),
    **dict.fromkeys(("capacity_bytes", "baseline_bytes", "budget_bytes", "predicted_bytes"), _or_none(_whole)),
    "shifts_labels": _or_none(_yes_or_no),
    "window_order": _order,
    "machine": _named,
    "versions": _named,
    "checkpoints": _list_of(_whole),
    "best_checkpoint": _or_none(_whole),
    "command": _or_none(_text),
    "ranks": _or_none(_list_of(_rank)),
}
"""What `engine.session` finds out about a run; what a later version adds is any plain value."""


def _facts(value: Any) -> None:
    _object(value)
    for name, check in _FACTS.items():
        if name in value:
            check(value[name])
