"""TrainingArguments as Birikim runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from transformers import TrainingArguments
from transformers.utils import is_torch_bf16_gpu_available

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.place import device_of
from engine.support import CUDA_ONLY, check_supported

FIXED: dict[str, Any] = {
    # the store and the page show progress; the Trainer's own printing would only repeat it
    "disable_tqdm": True,
    "report_to": "none",
    "logging_strategy": "no",
    # it would show a NaN as 0.0; the loop looks at its own losses
    "logging_nan_inf_filter": False,
    # rows are encoded by the task to just what the model takes, and carry a count besides
    "remove_unused_columns": False,
    # both want signals or tracemalloc in the main thread, and training runs in another
    "enable_jit_checkpoint": False,
    "skip_memory_metrics": True,
    # its way restarts with nine tenths of the micro-batch: another effective batch, from weights that have moved
    "auto_find_batch_size": False,
}

WANTED = {
    "bf16": "a GPU that computes in bf16 (Ampere or newer), or the CPU",
    "tf32": "a GPU with TF32 (Ampere or newer)",
    "cuda": "an NVIDIA GPU",
}


@dataclass
class Placed(TrainingArguments):  # type: ignore[misc]
    """TrainingArguments on the GPU of a number: transformers by itself takes the first."""

    gpu: int = 0

    @cached_property
    def _setup_devices(self) -> torch.device:
        device: torch.device = super()._setup_devices
        if device.type == "cuda" and self.gpu:
            device = torch.device("cuda", self.gpu)
            torch.cuda.set_device(device)
            self.distributed_state.device = device
        return device


def training_arguments(config: RunConfig, output: Path) -> TrainingArguments:
    """The arguments of `config`, with checkpoints under `output`.

    Raises:
        ConfigError: values that transformers or the device refuses, alone or together.
    """
    check_supported(config)
    device = device_of(config)
    _check_device(config, device)
    chosen = {"save_strategy": "no", "data_seed": config.seed, **config.training, "use_cpu": device.type == "cpu"}
    if config.early_stopping or (chosen["save_strategy"] != "no" and chosen.get("eval_strategy", "no") != "no"):
        # else nobody keeps in mind which checkpoint is the best one
        chosen["metric_for_best_model"] = chosen.get("metric_for_best_model") or "loss"
    if device.type == "cuda" and chosen.get("tf32") is None:
        # a switch of the whole process: it would stay on after the run that turned it on
        chosen["tf32"] = False
    try:
        arguments = Placed(output_dir=str(output), gpu=device.index or 0, **{**chosen, **FIXED})
        # more than one visible GPU would mean DataParallel and an effective batch that is not the plan's
        arguments._n_gpu = min(arguments.n_gpu, 1)
        # elsewhere it only warns
        arguments.dataloader_pin_memory &= arguments.device.type == "cuda"
    except (ValueError, TypeError, ImportError) as problem:
        raise ConfigError(
            "training.refused", field=f"training.{named_in(str(problem), chosen) or '*'}", problem=problem
        ) from None
    return arguments


def _check_device(config: RunConfig, device: torch.device) -> None:
    """Whether `device` can do the optimizer and the precision that `config` asks for."""
    capability = torch.cuda.get_device_capability(device) if device.type == "cuda" else None
    name = torch.cuda.get_device_name(device) if capability else device.type.upper()
    if capability is None and config.training.get("optim") in CUDA_ONLY:
        raise ConfigError("training.needs-device", field="training.optim", wanted=WANTED["cuda"], device=name)
    able = {
        "bf16": device.type == "cpu" or is_torch_bf16_gpu_available(),
        "tf32": capability is not None and capability >= (8, 0),
    }
    for key, kind in (("bf16", "bf16"), ("bf16_full_eval", "bf16"), ("tf32", "tf32")):
        if config.setting(key) and not able[kind]:
            raise ConfigError("training.needs-device", field=f"training.{key}", wanted=WANTED[kind], device=name)


def named_in(text: str, fields: Mapping[str, Any]) -> str | None:
    """The field whose name stands in what a library says."""
    return next((name for name in sorted(fields, key=len, reverse=True) if name in text), None)
