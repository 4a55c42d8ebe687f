"""What a run has shown of its trial: how far it is, its value, and what it took."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.compare.pace import paces, typical, warm_up
from engine.errors import WORDING
from engine.store import Run, Store
from engine.sweep.drawing import SHARES


@dataclass(frozen=True)
class Outcome:
    """How a trial ended; by the names of `Sweeps.state`."""

    state: Literal["finished", "pruned", "failed", "stopped"]
    value: float | None = None
    code: str = ""
    message: str = ""
    remedy: str = ""
    reasons: dict[str, Any] = field(default_factory=dict)
    updates: int = 0
    seconds: float = 0.0
    peak_bytes: int | None = None
    predicted_bytes: int | None = None
    unpredicted: dict[str, Any] | None = None
    """Why there is no prediction: `code`, `message`, `remedy` and `values`."""
    targets_per_second: float | None = None
    took: float = 0.0
    """Seconds of the worker, loading included."""


def measured(store: Store, run: Run, until: int | None = None) -> dict[str, Any]:
    """What a run took, up to the update `until`: `updates`, `seconds`, the peaks, and its throughput."""
    rows = [row for row in store.updates(run.id) if until is None or row["update"] <= until]
    return {
        "updates": rows[-1]["update"] if rows else 0,
        "seconds": rows[-1]["seconds"] if rows else 0.0,
        "peak_bytes": max((row["memory"] for row in rows if row["memory"] is not None), default=None),
        "predicted_bytes": (run.facts or {}).get("predicted_bytes"),
        "targets_per_second": typical(paces(rows[warm_up(len(rows)) :])),
    }


def outcome_of(store: Store, run: Run, metric: str) -> Outcome:
    """Of a run that has ended by itself, or that somebody has stopped."""
    value = run.eval_loss if metric == "eval_loss" else run.loss
    taken = measured(store, run)
    if run.state == "finished" and value is not None and math.isfinite(value):
        return Outcome("finished", value, **taken)
    if run.state == "finished":
        words = WORDING["sweep.no-value"]
        return Outcome("failed", None, "sweep.no-value", words.message, words.remedy, **taken)
    state: Literal["stopped", "failed"] = "stopped" if run.state == "stopped" else "failed"
    return Outcome(state, None, run.code, run.message, run.remedy, dict(run.values), **taken)


@dataclass(frozen=True)
class Share:
    """The loss at the end of part `number` of a run's way (from 1), and the update it was reached with."""

    number: int
    update: int
    loss: float


def shares(store: Store, run: Run, metric: str, known: Collection[int] = ()) -> Iterator[Share]:
    """The parts that a run has done beyond those that are `known`, in order; the last one is its end, and left out.

    A part is a share of the run's updates, and so of its targets: trials of unlike effective batches are compared where
    each has done as much of its way. The loss is that of the first evaluation after the part's end, or the mean over
    the targets of the part's updates; NaN where one of them is no number, which the store keeps as none.
    """
    total = int((run.plan or {}).get("updates_total") or 0)
    ends = {number: math.ceil(number * total / SHARES) for number in range(1, SHARES)}
    found = _evaluated(store, run, ends, total) if metric == "eval_loss" else _trained(store, run, ends, known)
    return (share for share in found if share.number not in known)


def _evaluated(store: Store, run: Run, ends: dict[int, int], total: int) -> Iterator[Share]:
    told: set[int] = set()
    for row in store.evaluations(run.id):
        number = max((each for each, end in ends.items() if end <= row["update"]), default=0)
        if number and number not in told and row["update"] < total:
            told.add(number)
            yield Share(number, row["update"], _number(row["loss"]))


def _trained(store: Store, run: Run, ends: dict[int, int], known: Collection[int]) -> Iterator[Share]:
    for number, end in ends.items():
        before = ends.get(number - 1, 0)
        if number in known or end == before or run.update < end:
            continue
        rows = store.updates(run.id, after=before)
        part = [row for row in rows if row["update"] <= end]
        if targets := sum(row["targets"] for row in part):
            yield Share(number, end, sum(_number(row["loss"]) * row["targets"] for row in part) / targets)


def _number(loss: float | None) -> float:
    return math.nan if loss is None else loss
