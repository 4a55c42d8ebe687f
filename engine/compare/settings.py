"""The settings of runs by their dotted keys, and where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.config import DataConfig, LoraSpec, RunConfig, SamplesSpec, training_fields
from engine.config.part import Part

Settings = dict[str, Any]

PARTS: dict[str, type[Part]] = {"data": DataConfig, "samples": SamplesSpec, "lora": LoraSpec}
"""Parts of a config whose keys have defaults; those of `samples` and `lora` only where there is one."""

SEEDS = frozenset({"training.seed", "training.data_seed"})
"""What sets runs apart that repeat each other."""


def settings_of(config: Mapping[str, Any]) -> Settings:
    """The values that are written in a config, by dotted key."""
    flat: Settings = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": each for inner, each in settings_of(value).items()}
        else:
            flat[key] = value
    return flat


def in_force(settings: Settings, key: str) -> Any:
    """A value as it is written, else its default."""
    if key == "training.data_seed" and settings.get(key) is None:
        return in_force(settings, "training.seed")
    if key in settings:
        return settings[key]
    if key == "launch.processes" and "launch.accelerate_config" not in settings:
        return 1
    part, _, name = key.partition(".")
    if part == "training":
        return training_fields()[name].default if name in training_fields() else None
    model: type[Part] | None = PARTS.get(part) if name else RunConfig
    there = part == "data" or not name or any(each.startswith(f"{part}.") for each in settings)
    field = model.model_fields.get(name or key) if model and there else None
    return None if field is None or field.is_required() else field.get_default(call_default_factory=True)


def differing(each: Sequence[Settings]) -> list[str]:
    """The keys whose values in force are not the same in all, in the order in which they are written."""
    return [key for key in _keys(each) if any(in_force(one, key) != in_force(each[0], key) for one in each[1:])]


def alike_but_for_seeds(one: Settings, other: Settings) -> bool:
    return set(differing((one, other))) <= SEEDS


def seeds_of(settings: Settings) -> tuple[Any, Any]:
    return in_force(settings, "training.seed"), in_force(settings, "training.data_seed")


def _keys(each: Sequence[Settings]) -> list[str]:
    return list(dict.fromkeys(key for settings in each for key in settings))
