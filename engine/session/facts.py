"""What is found out about a run before its first forward pass, and kept with it."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import transformers

from engine.memory.sampler import MemoryReader, capacity
from engine.memory.shares import held_by, size_of
from engine.models import architecture
from engine.trainer import Prepared
from engine.trainer.digests import digest_of_rows

SAMPLED_ROWS = 256
"""Of a data set so many, and their number, stand for it."""


def facts_of(prepared: Prepared) -> dict[str, Any]:
    """Plain values by name, those of `RunPlanned`; sizes in bytes."""
    trainer = prepared.trainer
    model, device = trainer.model, trainer.args.device
    return {
        "model_class": architecture(model),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "trainable": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        "device": device_name(device),
        "threads": torch.get_num_threads(),
        "precision": trainer.accelerator.mixed_precision.replace("no", "fp32"),
        "capacity_bytes": capacity(device),
        # what is held beside the model's tensors: a prediction of tensors stands on it
        "baseline_bytes": max(0, MemoryReader(device).read().main - size_of(held_by(model), device)),
        "budget_bytes": prepared.config.memory_budget_bytes,
        "rows": prepared.plan.rows,
        "evaluation_rows": len(prepared.evaluation),
        "data_digest": _digest(trainer.train_dataset),
        "evaluation_digest": _digest(prepared.evaluation),
        "shifts_labels": prepared.shifts,
        "window_order": trainer.window_order,
        "machine": _machine(),
        **({"command": command} if (command := os.environ.get("BIRIKIM_COMMAND")) else {}),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }


def device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()


def _digest(rows: Any) -> str | None:
    """Short, of a few rows: whether two runs have read the same. None for a stream."""
    return digest_of_rows(rows, SAMPLED_ROWS)[:16] or None


def _machine() -> dict[str, Any]:
    """What tells one machine from another as far as speed goes; nothing that names it."""
    return {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": platform.system(),
        "architecture": platform.machine(),
    }


def _processor() -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or None
