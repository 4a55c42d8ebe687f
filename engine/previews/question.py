"""What of a config a preview depends on: equal questions have one answer."""

from __future__ import annotations

from typing import Any

from engine.config import RunConfig
from engine.datasets.own_file import state_of
from engine.errors import ConfigError

COUNTS = ("model", "task", "data", "window_order", "micro_batch_tokens", "packing")
IN_TRAINING = ("per_device_train_batch_size", "gradient_accumulation_steps", "seed", "max_steps")


def previewed(config: RunConfig) -> dict[str, Any]:
    """The question, with what tells one content of the files from another.

    Windows are those of all processes together, where the config itself says how many.
    """
    if config.launch and config.launch.processes:
        config = config.in_one_process()
    values = config.to_dict()
    training = {key: value for key, value in values["training"].items() if key in IN_TRAINING}
    asked = {key: values[key] for key in COUNTS if key in values}
    return {"config": {**asked, "training": training}, "state": _state(config)}


def _state(config: RunConfig) -> Any:
    if config.data.path is None:
        return None
    try:
        return state_of(config.data, config.task)
    except ConfigError as fault:
        return fault.code  # the answer says it
