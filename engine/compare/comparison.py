"""The comparison of runs: one answer of plain values, from the store alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from engine.compare.figures import Metric, figures_of
from engine.compare.marks import marks
from engine.compare.pace import LEAST_LEFT_OUT, SHARE_LEFT_OUT
from engine.compare.repeats import groups
from engine.compare.settings import differing, in_force
from engine.compare.side import Side
from engine.errors import ConfigError, StoreError
from engine.store import Reading

MOST = 12
"""Runs at once: more colours are told apart by nobody."""

PLAN = ("effective_batch", "processes", "updates_total")
FACTS = ("device", "threads", "parameters", "trainable", "rows", "evaluation_rows", "machine", "versions")
"""What was found out about a run and may set it apart from others."""


def compare(
    store: Reading,
    runs: Sequence[int],
    *,
    metric: Metric = "loss",
    below: float | None = None,
    points: int = 1000,
) -> dict[str, Any]:
    """Runs side by side, in the order in which they are named, each once.

    `runs`: of each its figures (`figures_of`), and with `below` where its `metric` was at or under that first.
    `curves`: of each its `updates` and `evaluations`, thinned to `points`, on every axis. `differences`: of each dotted
    `key` that is not the same in all its `values`; `plan.` and `fact.` begin what was found out. `groups`: the spread
    over seeds. `marks`: what makes the comparison unfair, as codes with their words. `warm_up`: the rule of throughput.

    Raises:
        StoreError: no run, too many, one that is not there or trains nothing.
        ConfigError: `below` is no number.
    """
    wanted = list(dict.fromkeys(runs))
    if not wanted:
        raise StoreError("compare.none")
    if len(wanted) > MOST:
        raise StoreError("compare.too-many", count=len(wanted), most=MOST)
    if below is not None and not math.isfinite(below):
        raise ConfigError("config.number", field="below", value=below)
    sides = [Side.of(store, run, points) for run in wanted]
    figures = [figures_of(side, store, metric, below) for side in sides]
    return {
        "runs": figures,
        "curves": [_curves(side) for side in sides],
        "differences": _differences(sides),
        "groups": groups(sides, figures),
        "marks": marks(store, sides, figures),
        "metric": metric,
        "below": below,
        "warm_up": {"least": LEAST_LEFT_OUT, "share": SHARE_LEFT_OUT},
    }


def _curves(side: Side) -> dict[str, Any]:
    updates = dict(side.told["updates"])
    pairs = zip(updates.pop("targets"), updates.pop("duration"), strict=True)
    updates["throughput"] = [targets / seconds if seconds else None for targets, seconds in pairs]
    evaluations = dict(side.told["evaluations"])
    # an evaluation before the first update has seen none; one whose update was thinned out lies between two
    evaluations["total_tokens"] = [
        _at(update, updates["update"], updates["total_tokens"]) for update in evaluations["update"]
    ]
    for unused in ("epoch", "examples"):
        del updates[unused]
    return {"run": side.id, "updates": updates, "evaluations": evaluations, "thinned": side.told["thinned"]}


def _at(update: int, known: Sequence[int], values: Sequence[int | None]) -> float | None:
    """The value at `update`, between those of the nearest known updates; None where it is not known there."""
    place = bisect_left(known, update)
    before, low = (known[place - 1], values[place - 1]) if place else (0, 0)
    after, high = (known[place], values[place]) if place < len(known) else (before, low)
    if low is None or high is None:
        return None
    return low if after == before else low + (high - low) * (update - before) / (after - before)


def _differences(sides: Sequence[Side]) -> list[dict[str, Any]]:
    settings = [side.settings for side in sides]
    found = [{"key": key, "values": [in_force(each, key) for each in settings]} for key in differing(settings)]
    for start, names, sources in (
        ("plan", PLAN, [side.run.plan or {} for side in sides]),
        ("fact", FACTS, [side.facts for side in sides]),
    ):
        known = [_flat({name: source[name] for name in names if name in source}) for source in sources]
        for key in dict.fromkeys(key for each in known for key in each):
            values = [each.get(key) for each in known]
            if any(value != values[0] for value in values):
                found.append({"key": f"{start}.{key}", "values": values})
    return found


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= {f"{name}.{inner}": each for inner, each in value.items()} if isinstance(value, dict) else {name: value}
    return flat
