"""What is found out about a run before its first forward pass, and kept with it."""

from __future__ import annotations

import platform
from typing import Any

import torch
import transformers

from engine.memory.sampler import MemoryReader, capacity
from engine.memory.shares import held_by, size_of
from engine.models import architecture
from engine.trainer import Prepared


def facts_of(prepared: Prepared) -> dict[str, Any]:
    """Plain values by name, those of `RunPlanned`; sizes in bytes."""
    trainer = prepared.trainer
    model, device = trainer.model, trainer.args.device
    return {
        "model_class": architecture(model),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "trainable": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper(),
        "threads": torch.get_num_threads(),
        "precision": trainer.accelerator.mixed_precision.replace("no", "fp32"),
        "capacity_bytes": capacity(device),
        # what is held beside the model's tensors: a prediction of tensors stands on it
        "baseline_bytes": max(0, MemoryReader(device).read().main - size_of(held_by(model), device)),
        "budget_bytes": prepared.config.memory_budget_bytes,
        "rows": prepared.plan.rows,
        "evaluation_rows": len(prepared.evaluation),
        "shifts_labels": prepared.shifts,
        "window_order": trainer.window_order,
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }
