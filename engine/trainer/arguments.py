"""TrainingArguments as Birikim runs them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers import TrainingArguments

from engine.config import RunConfig
from engine.errors import ConfigError

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


def training_arguments(config: RunConfig, output: Path) -> TrainingArguments:
    """The arguments of `config`, with checkpoints under `output`.

    Raises:
        ConfigError: values that transformers refuses, alone or together.
    """
    chosen = {"save_strategy": "no", "data_seed": config.seed, **config.training}
    if config.early_stopping or (chosen["save_strategy"] != "no" and chosen.get("eval_strategy", "no") != "no"):
        # else nobody keeps in mind which checkpoint is the best one
        chosen["metric_for_best_model"] = chosen.get("metric_for_best_model") or "loss"
    if chosen.get("bf16") and not (torch.cuda.is_available() or torch.backends.mps.is_available()):
        # transformers takes bf16 for a GPU's unless it is told that there is none
        chosen["use_cpu"] = True
    if chosen.get("use_liger_kernel") and find_spec("liger_kernel") is None:
        raise ConfigError("training.needs-package", field="training.use_liger_kernel", package="liger-kernel")
    try:
        arguments = TrainingArguments(output_dir=str(output), **{**chosen, **FIXED})
        # reading the count settles the device; more than one visible GPU would mean DataParallel and
        # an effective batch that is not the plan's
        arguments._n_gpu = min(arguments.n_gpu, 1)
        # elsewhere it only warns
        arguments.dataloader_pin_memory &= arguments.device.type == "cuda"
    except (ValueError, TypeError, ImportError) as problem:
        raise ConfigError(
            "training.refused", field=f"training.{named_in(str(problem), chosen) or '*'}", problem=problem
        ) from None
    return arguments


def named_in(text: str, fields: Mapping[str, Any]) -> str | None:
    """The field whose name stands in what a library says."""
    return next((name for name in sorted(fields, key=len, reverse=True) if name in text), None)
