"""What a part of a lesson has found, out of the store: few numbers, for a chart and a conclusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.events import Kind
from engine.store import Run, Store

Found = dict[str, Any]

OF_AN_UPDATE = ("update", "epoch", "loss", "learning_rate", "examples", "targets", "padding", "duration")
OF_A_MICRO_BATCH = ("index", "loss", "weight", "targets", "examples")
OF_A_WAY = ("plan", "name", "loss", "relative_error", "cosine", "norm_ratio")


def found_by(run: Run, store: Store) -> Found | None:
    """None as long as there is nothing to draw."""
    return _READERS[run.kind](run, store)


def _trained(run: Run, store: Store) -> Found | None:
    updates = store.updates(run.id)
    if not updates or run.plan is None:
        return None
    return {
        "plan": [run.plan["micro_batch"], run.plan["accumulation_steps"]],
        "rows": run.plan["rows"],
        "updates": {name: [update[name] for update in updates] for name in OF_AN_UPDATE},
        "window": [{name: row[name] for name in OF_A_MICRO_BATCH} for row in store.micro_batches(run.id, run.update)],
        "eval_loss": run.eval_loss,
        "eval_metrics": run.eval_metrics,
    }


def _proved(run: Run, store: Store) -> Found | None:
    _, result = store.result(run.id)
    proof = (result or {}).get("proof")
    if result is None or not proof:
        return None
    named = ("model_class", "precision", "rows", "targets", "reference_loss", "tolerance")
    return {
        **{name: proof[name] for name in named},
        "ways": [{name: way[name] for name in OF_A_WAY} for way in proof["ways"]],
        "curves": result["curves"],
    }


def _measured(run: Run, store: Store) -> Found | None:
    _, result = store.result(run.id)
    if result is None:
        return None
    return {
        "plans": [
            {
                "plan": [account["micro_batch"], account["steps"]],
                "peak_bytes": account["peak_bytes"],
                "parts": account["parts"],
                "seconds": account["seconds"],
            }
            for account in result["accounts"]
        ],
        "errors": result["errors"],
    }


def _result(run: Run, store: Store) -> Found | None:
    return store.result(run.id)[1]


_READERS: dict[Kind, Callable[[Run, Store], Found | None]] = {
    "train": _trained,
    "proof": _proved,
    "memory": _measured,
    "noise": _result,
    "count": _result,
}
