"""What one run comes to, in figures."""

from __future__ import annotations

from statistics import fmean
from typing import Any, Literal

from engine.compare.pace import paces, typical, warm_up
from engine.compare.settings import seeds_of
from engine.compare.side import Side
from engine.store import Reading

Metric = Literal["loss", "eval_loss"]

MOST_PACES = 2000
"""Updates, evenly spread, whose median stands for a long run."""

Figures = dict[str, Any]


def figures_of(side: Side, store: Reading, metric: Metric, below: float | None) -> Figures:
    """Plain values, None for what there is not; `reached` only where `below` is asked for."""
    run = side.run
    return {
        "run": run.id,
        "name": run.name,
        "title": run.title,
        "state": run.state,
        "model": run.config.get("model"),
        "data": data_of(side),
        "task": run.config.get("task"),
        "plan": run.plan,
        "seed": seeds_of(side.settings)[0],
        "device": side.facts.get("device"),
        "updates": run.update,
        "examples": run.total_examples,
        "targets": run.total_targets,
        "tokens": next(iter(side.column("updates", "total_tokens")[-1:]), None),
        "seconds": run.seconds,
        "loss": run.loss,
        "eval_loss": run.eval_loss,
        "eval_metrics": run.eval_metrics,
        "best_evaluation": best_evaluation(side),
        "peak_bytes": peak_bytes(side),
        **pace(side, store),
        "reached": None if below is None else store.reached(run.id, below, metric),
    }


def data_of(side: Side) -> str | None:
    data = side.run.config.get("data") or {}
    return next((data[key] for key in ("name", "path", "hub") if data.get(key)), None)


def best_evaluation(side: Side) -> dict[str, Any] | None:
    """The lowest evaluation loss, and after which update it was."""
    found = zip(side.column("evaluations", "loss"), side.column("evaluations", "update"), strict=True)
    best = min(((loss, update) for loss, update in found if loss is not None), default=None)
    return best and {"loss": best[0], "update": best[1]}


def peak_bytes(side: Side) -> int | None:
    """The highest reading of the memory that stands for the run: a thinned series keeps its extremes."""
    samples = zip(side.column("memory", "allocated"), side.column("memory", "resident"), strict=True)
    readings = [resident if allocated is None else allocated for allocated, resident in samples]
    return max((each for each in [*side.column("updates", "memory"), *readings] if each is not None), default=None)


def pace(side: Side, store: Reading) -> Figures:
    """`throughput`: the median of targets a second over the `paced` updates after the `warm_up`; `padding` of these.

    None where no update is left.
    """
    left_out = warm_up(side.run.update)
    rows = store.spread_out(side.id, left_out, MOST_PACES)
    found = paces(rows)
    return {
        "throughput": typical(found),
        "padding": fmean(row["padding"] for row in rows) if rows else None,
        "warm_up": left_out,
        "paced": len(found),
    }
