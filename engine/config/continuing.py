"""What may be another value where a run goes on from a checkpoint, and why the rest may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.config.run import RunConfig
from engine.config.training import shown
from engine.errors import ConfigError

FREE = frozenset(
    {"window_order", "micro_batch_tokens", "memory_budget", "early_stopping", "samples", "device", "launch"}
)
"""Keys of a config that change no update: what an update adds up is the same however it is dealt."""

FREE_TRAINING = frozenset(
    {
        *("per_device_train_batch_size", "gradient_accumulation_steps", "auto_find_batch_size"),
        *("max_steps", "num_train_epochs", "per_device_eval_batch_size"),
        *("eval_strategy", "eval_steps", "eval_delay", "eval_on_start"),
        *("save_strategy", "save_steps", "save_total_limit", "load_best_model_at_end"),
        *("logging_strategy", "logging_steps", "logging_first_step", "log_level", "report_to", "run_name"),
        *("dataloader_num_workers", "dataloader_prefetch_factor", "dataloader_persistent_workers"),
        *("dataloader_pin_memory", "dataloader_in_order", "dataloader_multiprocessing_context"),
        *("activation_checkpointing", "activation_checkpointing_kwargs", "torch_empty_cache_steps"),
    }
)
"""Fields of `training` that may change: the plan, the length, and what is done between updates."""

_BY_EVALUATIONS = frozenset({"eval_strategy", "eval_steps", "eval_delay", "eval_on_start"})
"""What a schedule that goes by evaluations depends on."""

_DEALING = frozenset({"window_order", "micro_batch_tokens"})
"""What an update depends on where the loss is not exact."""

_WEIGHTS = frozenset({"model", "task", "lora", "freeze", "quantization", "trainer"})
_ORDER = frozenset({"data", "packing", "training.seed", "training.data_seed", "training.dataloader_drop_last"})
_ORDER_TOO = frozenset({"training.train_sampling_strategy", "training.length_column_name"})
_PATHS = frozenset({"model", "data.path"})


def check_continues(before: RunConfig, after: RunConfig) -> None:
    """Raises ConfigError about the first setting, in the order of `after`, that can't be another on the way."""
    old, new = _flat(before), _flat(after)
    for key in dict.fromkeys([*new, *old]):
        was, now = (_value(config, values, key) for config, values in ((before, old), (after, new)))
        if not _free(key, before) and was != now:
            raise ConfigError(_code(key), field=key, before=shown(was), after=shown(now))


def _flat(config: RunConfig) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.to_dict().items():
        if key in ("data", "training"):
            flat |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            flat[key] = value
    return flat


def _value(config: RunConfig, values: dict[str, Any], key: str) -> Any:
    """The value in force: what is left out has its default."""
    if key == "training.data_seed" and values.get(key) is None:
        return config.seed
    if key in values:
        value = values[key]
        return str(Path(value).resolve()) if key in _PATHS and value and Path(value).exists() else value
    if key.startswith("training."):
        return config.setting(key.partition(".")[2])
    if key.startswith("data."):
        return type(config.data).model_fields[key.partition(".")[2]].default
    return type(config).model_fields[key].default


def _free(key: str, before: RunConfig) -> bool:
    name = key.removeprefix("training.")
    if name in _BY_EVALUATIONS and before.setting("lr_scheduler_type") in ("reduce_lr_on_plateau", "greedy"):
        return False
    if name in _DEALING and before.loss_normalization != "exact":
        return False
    return key in FREE if name == key else name in FREE_TRAINING


def _code(key: str) -> str:
    if key in _WEIGHTS:
        return "resume.changed-weights"
    if key in _ORDER or key in _ORDER_TOO or key.startswith("data."):
        return "resume.changed-order"
    return "resume.changed"
