"""The list of runs: one page of it, however many there are, by any words, any tag and any value."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from engine.config import training_fields
from engine.errors import StoreError
from engine.events import Kind
from engine.store.schema import folded

BYTES = "bytes"
"""Sorts by the sizes that the caller hands over: they are of folders, and in no table."""

_SETTING = "json_extract(config, '$.{}')"
_TRAINED = "coalesce(json_extract(config, '$.training.{}'), :usual)"
_PLANNED = "json_extract(plan, '$.{}')"

_FIELDS = {"micro_batch": "per_device_train_batch_size", "accumulation_steps": "gradient_accumulation_steps"}
"""The setting that a sort goes by, where it has another name."""

SORTS: dict[str, str] = {
    **{name: name for name in ("id", "name", "title", "state", "tags", "created", "started", "ended", "deleted")},
    **{name: f'"{name}"' for name in ("update", "seconds", "loss", "eval_loss", "total_examples", "total_targets")},
    **{name: _SETTING.format(name) for name in ("model", "task", "loss_normalization", "data.max_length")},
    "data": "coalesce({}, {}, {})".format(*(_SETTING.format(f"data.{name}") for name in ("name", "path", "hub"))),
    **{name: _PLANNED.format(name) for name in ("updates_total", "effective_batch", "rows")},
    "micro_batch": f"coalesce({_PLANNED.format('micro_batch')}, {_TRAINED.format(_FIELDS['micro_batch'])})",
    "accumulation_steps": f"coalesce({_PLANNED.format('accumulation_steps')}, "
    f"{_TRAINED.format(_FIELDS['accumulation_steps'])})",
    **{
        name: _TRAINED.format(name)
        for name in ("learning_rate", "optim", "lr_scheduler_type", "warmup_steps", "weight_decay", "max_steps", "seed")
    },
    BYTES: "",
}
"""By what a list can be sorted: what it shows, and the usual settings."""

METRIC = re.compile(r"metric\.(\w{1,60})")
"""Sorts by a metric of the last evaluation, whatever it is called."""

SEARCHED = (
    "name || char(10) || title || char(10) || notes || char(10) || tags || char(10) || state || char(10) || "
    f"coalesce({_SETTING.format('model')}, '') || char(10) || coalesce({_SETTING.format('task')}, '') || char(10) || "
    f"coalesce({SORTS['data']}, '') || char(10) || coalesce(json_extract(:states, '$.' || state), '')"
)
"""The texts of a run that a search looks through; a number may be the run's too."""

FROM_UPDATES = frozenset({"update", "seconds", "loss", "total_examples", "total_targets", "eval_loss"})


class Asked(NamedTuple):
    """One page of a list: `sort` is one of `SORTS` or “metric.NAME”.

    `sizes` are bytes by run, `states` what people call a state, where that is to be found as well, and `called` what
    they call a run: “run 2” and “#2” are the run of that number.
    """

    search: str = ""
    tag: str | None = None
    sort: str = "id"
    descending: bool = True
    offset: int = 0
    limit: int = 50
    deleted: bool = False
    kind: Kind = "train"
    sizes: Mapping[int, int] = {}
    states: Mapping[str, str] = {}
    called: Sequence[str] = ("run",)


def page(db: sqlite3.Connection, asked: Asked) -> tuple[list[int], int]:
    """The numbers of the runs of one page, in order, and how many there are in all.

    Raises StoreError: there is no such value to sort by.
    """
    condition, values = _condition(asked)
    first, most = max(0, asked.offset), max(0, asked.limit)
    if asked.sort == BYTES:
        all_runs = [row["id"] for row in db.execute(f"SELECT id FROM runs WHERE {condition} ORDER BY id DESC", values)]
        all_runs.sort(key=lambda run: asked.sizes.get(run, 0), reverse=asked.descending)
        return all_runs[first : first + most], len(all_runs)
    statement, more = question(asked, condition)
    found = db.execute(statement, {**values, **more, "offset": first, "limit": most})
    counted = "total" in (column[0] for column in found.description)
    rows = found.fetchall()
    if counted and (rows or (first == 0 and most > 0)):
        return [row["id"] for row in rows], rows[0]["total"] if rows else 0
    total: int = db.execute(f"SELECT count(*) FROM runs WHERE {condition}", values).fetchone()[0]
    return [row["id"] for row in rows], total


def question(asked: Asked, condition: str) -> tuple[str, dict[str, Any]]:
    """What is asked for one page of the runs that meet `condition`, and its values.

    Where each run has to be looked at anyway, the `total` is counted by the way.
    """
    metric = METRIC.fullmatch(asked.sort)
    if metric is None and asked.sort not in SORTS:
        raise StoreError("history.no-sort", sort=asked.sort, known=", ".join((*SORTS, "metric.NAME")))
    direction = "DESC" if asked.descending else "ASC"
    ending = f"id {direction} LIMIT :limit OFFSET :offset"
    total = "count(*) OVER () AS total"
    if asked.sort == "id":
        counted = f", {total}" if asked.search.split() or asked.tag is not None else ""
        return f"SELECT id{counted} FROM runs WHERE {condition} ORDER BY {ending}", {}
    value = "json_extract(eval_metrics, :metric)" if metric else SORTS[asked.sort]
    source = "summaries" if metric or asked.sort in FROM_UPDATES else "runs"
    # what a run has no value for comes last, whichever way
    order = f"value IS NULL, value {direction}, {ending}"
    values = {"metric": f'$."{metric[1]}"'} if metric else {"usual": _usual(asked.sort)}
    return f"SELECT id, {value} AS value, {total} FROM {source} WHERE {condition} ORDER BY {order}", values


@cache
def _usual(sort: str) -> Any:
    """What a run trains with where its config leaves a setting out; None of what is no such setting."""
    # the library looks at torch before it names its optimizer; with the torch that we need it is this one
    usual = {"optim": "adamw_torch_fused"}
    field = training_fields().get(_FIELDS.get(sort, sort))
    return usual.get(sort, field.default if field else None)


def tags(db: sqlite3.Connection, kind: Kind) -> dict[str, int]:
    """Of the tags of all runs that are not in the bin how often each is there, the most used first."""
    found = db.execute(
        """
        SELECT tag.value AS tag, count(*) AS runs FROM runs, json_each(runs.tags) AS tag
        WHERE kind = ? AND tags <> '[]' AND deleted IS NULL GROUP BY tag.value ORDER BY runs DESC, tag.value
        """,
        (kind,),
    )
    return {row["tag"]: row["runs"] for row in found}


def in_bin(db: sqlite3.Connection, kind: Kind) -> list[int]:
    """The numbers of the runs in the bin."""
    found = db.execute("SELECT id FROM runs WHERE kind = ? AND deleted IS NOT NULL ORDER BY id", (kind,))
    return [row["id"] for row in found]


def _condition(asked: Asked) -> tuple[str, dict[str, Any]]:
    parts = ["kind = :kind", f"deleted IS {'NOT ' if asked.deleted else ''}NULL"]
    values: dict[str, Any] = {"kind": asked.kind}
    if asked.tag is not None:
        parts.append("tags <> '[]' AND EXISTS (SELECT 1 FROM json_each(tags) AS tag WHERE tag.value = :tag)")
        values["tag"] = asked.tag
    if asked.search.split():
        parts.append(f"holds(id, {SEARCHED}, :words)")
        values |= {"words": "\n".join(_words(asked)), "states": json.dumps(asked.states)}
    return " AND ".join(parts), values


def _words(asked: Asked) -> list[str]:
    """The folded words of a search; what names a run is one word, as it was written, with the number after a tab."""
    called = "|".join(re.escape(folded(name)) for name in asked.called)
    naming = rf"(?:(?:{called})\s+)?#?(\d+)(?!\S)|(\d+)\.\s+(?:{called})(?!\S)|\S+"
    found = re.finditer(naming, folded(asked.search))
    words = ((" ".join(each[0].split()), each[1] or each[2]) for each in found)
    return [word if number is None else f"{word}\t{number}" for word, number in words]
