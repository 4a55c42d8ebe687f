"""What a run could do with less memory: its config, changed in one thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from engine.config import RunConfig
from engine.errors import ConfigError

Way = Literal["halved", "checkpointing", "bf16", "lora"]

LORA = {"r": 8, "alpha": 16}


@dataclass(frozen=True)
class Saver:
    """A changed config, and in which way: half the micro-batch, recomputed activations, bf16 autocast, or LoRA."""

    code: Way
    config: RunConfig


def savers(config: RunConfig) -> tuple[Saver, ...]:
    """The ways that `config` hasn't taken yet and that it allows, the one that changes least first."""
    return tuple(Saver(code, changed) for code, changes in _ways(config) if (changed := _changed(config, changes)))


def _ways(config: RunConfig) -> Iterator[tuple[Way, dict[str, Any]]]:
    if halved := _halved(config):
        yield "halved", halved
    if not config.setting("activation_checkpointing"):
        yield "checkpointing", {"training": {"activation_checkpointing": True}}
    if not (config.setting("bf16") or config.setting("fp16")):
        yield "bf16", {"training": {"bf16": True}}
    if config.lora is None:
        yield "lora", {"lora": LORA}


def _halved(config: RunConfig) -> dict[str, Any] | None:
    """Half the micro-batch and twice the steps, or half the tokens; the window's rows stay the same."""
    if config.loss_normalization != "exact":
        return None
    if config.micro_batch_tokens is not None:
        # a row is at most max_length tokens wide, and one that is written has a source and a target
        longest = config.data.max_length * (2 if config.task == "text2text-generation" else 1)
        half = config.micro_batch_tokens // 2
        return {"micro_batch_tokens": half} if half >= longest else None
    half, odd = divmod(config.micro_batch, 2)
    if odd:
        return None
    return {
        "training": {
            "per_device_train_batch_size": half,
            "gradient_accumulation_steps": 2 * config.accumulation_steps,
        }
    }


def _changed(config: RunConfig, changes: dict[str, Any]) -> RunConfig | None:
    """None where the changes don't go with the rest of the config."""
    values = config.to_dict()
    training = {**values["training"], **changes.get("training", {})}
    try:
        return RunConfig.from_dict({**values, **changes, "training": training})
    except ConfigError:
        return None
