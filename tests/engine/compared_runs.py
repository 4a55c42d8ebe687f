"""Runs for a comparison, written without training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from engine.events import RunPlanned, StateChanged
from engine.store import Store
from tests.engine.store_runs import evaluation, update

CONFIG: dict[str, Any] = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 64},
    "loss_normalization": "exact",
    "training": {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 4,
        "learning_rate": 1e-3,
        "max_steps": 20,
        "seed": 1,
    },
}
FACTS: dict[str, Any] = {
    "device": "CPU",
    "threads": 2,
    "machine": {"processor": "A", "processors": 2, "system": "Linux", "architecture": "x86_64"},
    "versions": {"python": "3.12.1", "torch": "2.13.0"},
    "data_digest": "aa",
    "evaluation_digest": "bb",
}


def config(**changes: Any) -> dict[str, Any]:
    """`CONFIG` with other values; a dotted key is written with two underscores: `training__seed=2`."""
    changed: dict[str, Any] = json.loads(json.dumps(CONFIG))
    for key, value in changes.items():
        place, _, name = key.rpartition("__")
        (changed[place] if place else changed)[name] = value
    return changed


def trained(
    store: Store,
    losses: Sequence[float | None] = (2.0, 1.0, 0.5),
    *,
    settings: dict[str, Any] | None = None,
    facts: dict[str, Any] | None = None,
    state: Any = "finished",
    evaluations: Sequence[float] = (),
    durations: Sequence[float] = (),
    **values: Any,
) -> int:
    """A run with an update for each of `losses`; the `evaluations` come after its last updates."""
    settings = config() if settings is None else settings
    run = store.create_run(settings)
    micro_batch = settings["training"]["per_device_train_batch_size"]
    steps = settings["training"]["gradient_accumulation_steps"]
    processes = settings.get("launch", {}).get("processes", 1)
    plan = {
        "micro_batch": micro_batch,
        "accumulation_steps": steps,
        "processes": processes,
        "effective_batch": micro_batch * steps * processes,
        "updates_total": len(losses),
    }
    store.write(StateChanged(run=run, state="running", activity="training"))
    store.write(RunPlanned(run=run, plan=plan, facts=FACTS if facts is None else facts))
    for number, loss in enumerate(losses, start=1):
        duration = durations[number - 1] if durations else 0.5
        store.write(update(run, number, loss=loss, duration=duration, **values))
        place = number - (len(losses) - len(evaluations)) - 1
        if place >= 0:
            store.write(evaluation(run, number, loss=evaluations[place]))
    store.write(StateChanged(run=run, state=state))
    store.flush()
    return run
