"""Three questions that a sweep answers, as specs over any config."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from engine.config import RunConfig, SweepSpec
from engine.config.run import overridden
from engine.config.sweep import EFFECTIVE_BATCH, LEARNING_RATE, MICRO_BATCH
from engine.errors import ConfigError

RATES = 9
"""Learning rates of a range test."""
REACH = 100.0
"""How far it goes below and above the config's own."""
SHORT = 20
"""Updates of its runs, where the config's have more."""

MOST_PLANS = 8
"""Micro-batches that a cost table holds."""

BATCHES: tuple[float, ...] = (0.25, 0.5, 1, 2, 4)
"""Effective batches, in those of the config."""


def presets(config: RunConfig) -> dict[str, dict[str, Any]]:
    """By name a spec's plain values."""
    return {
        "learning-rate": _learning_rate(config),
        "cost": _cost(config),
        "effective-batch": _effective_batch(config),
    }


def preset(config: RunConfig, name: str, overrides: Sequence[str] = ()) -> SweepSpec:
    """One of them; `overrides` are as those of a config, of its keys under `sweep`. Raises ConfigError."""
    known = presets(config)
    if name not in known:
        raise ConfigError("sweep.no-preset", field="preset", name=name, known=", ".join(known))
    return SweepSpec.from_dict(overridden({"sweep": known[name]}, overrides)["sweep"])


def _learning_rate(config: RunConfig) -> dict[str, Any]:
    """Which learning rate: many of them, evenly by their logarithms, in short runs."""
    rate = float(config.setting("learning_rate"))
    rates = [float(f"{rate * REACH ** (2 * place / (RATES - 1) - 1):.2g}") for place in range(RATES)]
    updates = int(config.setting("max_steps"))
    return {
        "method": "grid",
        "fields": {LEARNING_RATE: rates},
        "updates": min(updates, SHORT) if updates > 0 else SHORT,
    }


def _cost(config: RunConfig) -> dict[str, Any]:
    """What accumulation costs: the same effective batch in the micro-batches that divide it."""
    rows = _effective(config)
    small = [part for part in range(1, isqrt(rows) + 1) if rows % part == 0]
    parts = sorted({*small, *(rows // part for part in small)})
    while len(parts) > MOST_PLANS:
        # the ends say most, and the config's own is what is compared with
        inner = [part for part in parts[1:-1] if part != config.micro_batch]
        parts.remove(inner[len(inner) // 2])
    return {"method": "grid", "fields": {MICRO_BATCH: parts}, "effective_batch": rows * config.processes}


def _effective_batch(config: RunConfig) -> dict[str, Any]:
    """Which effective batch: several of them over the same examples, the learning rate scaled; and the noise.

    Where the config's updates do not come out even in all of them, they are a few more or fewer.
    """
    share = config.micro_batch * config.processes
    steps = [int(config.accumulation_steps * times) for times in BATCHES if config.accumulation_steps * times % 1 == 0]
    # so many updates, and multiples of them, hold whole updates of every batch
    unit, updates = int(max(BATCHES)), int(config.setting("max_steps"))
    length = {"updates": max(1, round(updates / unit)) * unit} if updates > 0 and updates % unit else {}
    return {
        **length,
        "method": "grid",
        "fields": {EFFECTIVE_BATCH: [share * each for each in steps]},
        "learning_rate_scaling": "square-root",
        "length": "examples",
        "noise": True,
    }


def _effective(config: RunConfig) -> int:
    return config.micro_batch * config.accumulation_steps
