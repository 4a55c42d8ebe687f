"""The ways to the gradient of one window that a proof compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import Trainer

from engine.accumulation import Normalization, window_weights

Batch = Mapping[str, Any]
LossOf = Callable[[dict[str, Any]], Tensor]


def accumulate(
    loss_of: LossOf, micro_batches: Sequence[Batch], targets: Sequence[int], normalization: Normalization = "exact"
) -> float:
    """Adds up the gradients of the weighted means; returns the window's loss. `loss_of` gives a batch's own mean."""
    total = 0.0
    for batch, weight in zip(micro_batches, window_weights(targets, normalization), strict=True):
        if weight:
            loss = loss_of(dict(batch)) * weight
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
    return total


def accumulate_as_stock(trainer: Trainer, micro_batches: Sequence[Batch]) -> float:
    """Adds up the gradients as `transformers.Trainer` does between two optimizer steps, by its own methods."""
    batches, items = trainer.get_batch_samples(
        iter([dict(batch) for batch in micro_batches]), len(micro_batches), trainer.args.device
    )
    trainer.current_gradient_accumulation_steps = len(batches)
    total = torch.zeros((), device=trainer.args.device)
    for index, batch in enumerate(batches, start=1):
        trainer.accelerator.gradient_state._set_sync_gradients(index == len(batches))
        total += trainer.training_step(trainer.model, batch, items)
    return float(total)
