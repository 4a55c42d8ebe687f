"""What the Prove and Memory tabs know of the settings, and the plans that there are to choose from."""

from __future__ import annotations

from math import isqrt
from typing import Any

from engine import RunConfig, shown_processes

BatchPlan = tuple[int, int]
"""Rows of a micro-batch, and micro-batches of a window."""

MOST = 12
"""Plans that one choice offers, as many as a proof takes."""
MOST_TRIED = 4096
"""Divisors of a window of billions of rows are not looked for without end."""


def settings_of(config: RunConfig) -> dict[str, Any]:
    """The names in the `config`, its `own` plan on each of its devices and all `plans` of those rows.

    `window` holds both of the whole window, with the micro-batches of all `processes`.
    """
    own = (config.micro_batch, config.accumulation_steps)
    processes = shown_processes(config)
    whole = (own[0], own[1] * processes)
    return {
        "model": config.model,
        "data": config.data.name or config.data.path or config.data.hub,
        "task": config.task,
        "own": own,
        "plans": plans_beside(own),
        "processes": processes,
        "window": {"own": whole, "plans": plans_beside(whole)},
        "config": config.to_dict(),
    }


def plans_beside(own: BatchPlan) -> list[BatchPlan]:
    """The plans of `own`'s window, micro-batches of one row first; of more than `MOST` an even choice with `own`."""
    rows = own[0] * own[1]
    small = [part for part in range(1, min(isqrt(rows), MOST_TRIED) + 1) if rows % part == 0]
    parts = {*small, *(rows // part for part in small), own[0]}
    plans = [(part, rows // part) for part in sorted(parts)]
    if len(plans) <= MOST:
        return plans
    others = [plan for plan in plans if plan != own]
    kept = {others[round(place * (len(others) - 1) / (MOST - 2))] for place in range(MOST - 1)}
    return [plan for plan in plans if plan == own or plan in kept]
