"""Checks the `training` part of a config: names, types and ranges of TrainingArguments fields."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping
from typing import Any

from engine.config.library import LibraryField, library_version, training_fields
from engine.config.owned import OWNED
from engine.config.reporting import check_report_to
from engine.config.secrets import HIDDEN, masked
from engine.errors import ConfigError

LARGEST = 2**31 - 1
"""Bound of every whole number: products of two still fit the store's 64 bits."""

LARGEST_FLOAT = 1e30
"""Bound of every other number: an update can be computed with it in fp32."""

WORDS_FOR_TRUTH = {"yes": True, "on": True, "no": False, "off": False}

RENAMED = {
    "gradient_checkpointing": "activation_checkpointing",
    "gradient_checkpointing_kwargs": "activation_checkpointing_kwargs",
}
"""The library's deprecated name → the one that it is read as."""

INSIDE: dict[str, tuple[str, ...]] = {
    "activation_checkpointing_kwargs": (
        "use_reentrant", "preserve_rng_state", "determinism_check", "early_stop", "debug", "every_n_layers", "offload"
    ),
}  # fmt: skip
"""Of a mapping that goes to a function as its arguments: those that are plain values."""

WORDS: dict[str, tuple[str, ...]] = {
    "log_level": ("detail", "debug", "info", "warning", "error", "critical", "passive"),
    # what else the library knows deals rows to micro-batches, which is for a window to do
    "train_sampling_strategy": ("random", "sequential", "group_by_length"),
}

AT_LEAST: dict[str, float] = {
    "per_device_train_batch_size": 1,
    "per_device_eval_batch_size": 1,
    "gradient_accumulation_steps": 1,
    "max_grad_norm": 0,
    "warmup_steps": 0,
    "weight_decay": 0,
    "adam_beta1": 0,
    "adam_beta2": 0,
    "adam_epsilon": 0,
    "label_smoothing_factor": 0,
    "neftune_noise_alpha": 0,
    "eval_delay": 0,
    "dataloader_num_workers": 0,
    "dataloader_prefetch_factor": 1,
    "torch_empty_cache_steps": 1,
    "save_total_limit": 1,
    "seed": 0,
    "data_seed": 0,
}
ABOVE_ZERO = frozenset({"learning_rate", "num_train_epochs", "eval_steps", "logging_steps", "save_steps"})
AT_MOST: dict[str, float] = {
    "label_smoothing_factor": 1,
    "num_train_epochs": 10**6,
    "seed": 2**32 - 1,
    "data_seed": 2**32 - 1,
    # each is a process
    "dataloader_num_workers": 64,
    "dataloader_prefetch_factor": 1024,
}
BELOW_ONE = frozenset({"adam_beta1", "adam_beta2"})
SHARE_OR_WHOLE = frozenset({"eval_steps", "logging_steps", "save_steps"})
"""Below 1 a share of all updates, else a whole number of them."""


def check_training(values: Mapping[Any, Any]) -> dict[str, Any]:
    """`values` as keyword arguments for TrainingArguments, without those that Birikim decides itself.

    Raises ConfigError about the first wrong one, in the order of `values`.
    """
    fields = training_fields()
    checked: dict[str, Any] = {}
    for key, value in values.items():
        place = f"training.{key}"
        if key not in fields:
            raise unknown_key(place, str(key), fields)
        if key == "report_to":
            if (told := check_report_to(value)) is not None:
                checked[key] = told
            continue
        if key in OWNED:
            reason, neutral = OWNED[key]
            if value is not None and value != fields[key].default and value not in neutral:
                said = HIDDEN if key.endswith("_token") else shown(value)
                raise ConfigError(reason, field=place, value=said)
            continue
        name = RENAMED.get(key, key)
        checked[name] = _check_range(place, key, _check_kind(place, fields[key], value))
        _check_inside(place, name, checked[name])
    _check_together(checked)
    return checked


def _check_inside(place: str, name: str, value: Any) -> None:
    """What the library takes as it comes: the keys of a mapping, and words that it knows only when they are used."""
    for key in value if isinstance(value, dict) and name in INSIDE else ():
        if key not in INSIDE[name]:
            raise unknown_key(f"{place}.{key}", key, INSIDE[name])
    if name in WORDS and value not in WORDS[name]:
        raise ConfigError("config.choice", field=place, value=shown(value), choices=", ".join(WORDS[name]))


def unknown_key(place: str, key: str, known: Collection[str]) -> ConfigError:
    """The error for a key that isn't among `known`, with the nearest one where one is near."""
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if near:
        return ConfigError("config.unknown-key", field=place, suggestion=near[0])
    if place.startswith("training.") and place.count(".") == 1:
        return ConfigError("config.not-a-training-field", field=place, version=library_version())
    return ConfigError("config.strange-key", field=place, known=", ".join(known))


def shown(value: Any) -> str:
    """`value` as a short piece of a message, as one would write it in YAML."""
    match value:
        case None:
            text = "null"
        case bool():
            text = str(value).lower()
        case str():
            text = masked(f"“{value}”")
        case _:
            text = masked(str(value))
    return text if len(text) <= 60 else text[:59] + "…"


def _check_kind(place: str, field: LibraryField, value: Any) -> Any:
    """`value` in the field's own type."""
    kinds = field.kinds
    match value:
        case None if "None" in kinds:
            return None
        case bool() if "bool" in kinds:
            return value
        case str() if "bool" in kinds and "str" not in kinds and value.lower() in WORDS_FOR_TRUTH:
            return WORDS_FOR_TRUTH[value.lower()]
        case int() if "int" in kinds and not isinstance(value, bool):
            return value
        case float() if "int" in kinds and value.is_integer():
            return int(value)
        case int() if "float" in kinds and not isinstance(value, bool):
            return value
        case float() if "float" in kinds:
            return _finite(place, value)
        case str() if field.choices:
            if value not in field.choices:
                raise ConfigError("config.choice", field=place, value=shown(value), choices=_near(value, field.choices))
            return value
        case str() if "str" in kinds:
            return value
        case list() if "list" in kinds and all(isinstance(each, str) for each in value):
            return list(value)
        case dict() if "dict" in kinds:
            return plain(place, value)
    raise ConfigError(f"config.{_wanted(field)}", field=place, value=shown(value), choices=_near("", field.choices))


def _wanted(field: LibraryField) -> str:
    """The code that says what the field holds."""
    if field.choices:
        return "choice"
    order = {"int": "whole-number", "float": "number", "bool": "true-or-false", "dict": "mapping", "list": "texts"}
    return next((code for kind, code in order.items() if kind in field.kinds), "text")


def _near(value: str, choices: tuple[str, ...]) -> str:
    if len(choices) <= 12:
        return ", ".join(choices)
    return ", ".join(difflib.get_close_matches(value, choices, n=5, cutoff=0) or choices[:5]) + ", …"


def _finite(place: str, value: float) -> float:
    if not math.isfinite(value):
        raise ConfigError("config.number", field=place, value=shown(value))
    return value


def _check_range(place: str, key: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    low, high = AT_LEAST.get(key), AT_MOST.get(key, LARGEST if isinstance(value, int) else LARGEST_FLOAT)
    if key == "max_steps" and value != -1 and value < 1:
        raise ConfigError("config.max-steps", field=place, value=shown(value))
    if key in ABOVE_ZERO and value <= 0:
        raise ConfigError("config.above-zero", field=place, value=shown(value))
    if low is not None and value < low:
        raise ConfigError("config.at-least", field=place, value=shown(value), low=low)
    if value > high:
        raise ConfigError("config.at-most", field=place, value=shown(value), high=high)
    if key in BELOW_ONE and value >= 1:
        raise ConfigError("config.below-one", field=place, value=shown(value))
    if key in SHARE_OR_WHOLE and value > 1 and value != int(value):
        raise ConfigError("config.share-or-whole", field=place, value=shown(value))
    return value


def plain(place: str, value: Any) -> Any:
    """A copy of `value`, made of mappings with text keys, lists and scalars only."""
    match value:
        case dict() if all(isinstance(key, str) for key in value):
            return {key: plain(place, each) for key, each in value.items()}
        case list():
            return [plain(place, each) for each in value]
        case float():
            return _finite(place, value)
        case None | bool() | int() | str():
            return value
    raise ConfigError("config.mapping", field=place, value=shown(value))


def _check_together(training: Mapping[str, Any]) -> None:
    """Combinations that TrainingArguments or its loader would refuse."""

    def refuse(code: str, key: str) -> None:
        raise ConfigError(code, field=f"training.{key}")

    for precision in ("fp16", "fp16_full_eval"):
        if training.get(precision) and training.get(precision.replace("fp16", "bf16")):
            refuse("config.two-precisions", precision)
    if not training.get("dataloader_num_workers"):
        for key in ("dataloader_prefetch_factor", "dataloader_persistent_workers"):
            if training.get(key):
                refuse("config.needs-workers", key)
    if training.get("eval_strategy", "no") == "no" and training.get("lr_scheduler_type") in (
        "reduce_lr_on_plateau",
        "greedy",
    ):
        refuse("config.needs-evaluation", "lr_scheduler_type")
