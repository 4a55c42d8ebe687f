"""A trainer's state kept aside, so that a step that was only tried leaves no trace, bit by bit."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from engine.proof.calm import same_random_state
from engine.trainer import AccumulatingTrainer


@contextmanager
def as_before(trainer: AccumulatingTrainer) -> Iterator[None]:
    """Whatever trains inside: afterwards weights, buffers, gradients, optimizer, schedule, scaler and random state are
    as they were, and nothing of it stays on the device. The copies lie in the machine's memory."""
    model = trainer.model
    values = [(tensor, _copied(tensor)) for tensor in (*model.parameters(), *model.buffers())]
    gradients = [(parameter, _copied(parameter.grad)) for parameter in model.parameters()]
    modes = [(module, module.training) for module in model.modules()]
    optimizer = getattr(trainer.optimizer, "optimizer", trainer.optimizer)
    kept = _optimizer_state(optimizer) if optimizer is not None else None
    others = [each for each in (trainer.lr_scheduler, trainer.accelerator.scaler) if each is not None]
    states = [copy.deepcopy(other.state_dict()) for other in others]
    gradient_state = dict(trainer.accelerator.gradient_state._shared_state)
    with same_random_state():
        try:
            yield
        finally:
            with torch.no_grad():
                for tensor, value in values:
                    tensor.copy_(value)
                for parameter, gradient in gradients:
                    parameter.grad = None if gradient is None else gradient.to(parameter.device)
            for module, mode in modes:
                module.training = mode
            if kept is not None:
                _put_back(optimizer, kept)
            for other, state in zip(others, states, strict=True):
                other.load_state_dict(state)
            trainer.accelerator.gradient_state._shared_state.update(gradient_state)
            gc.collect()
            if trainer.args.device.type in ("cuda", "mps"):
                getattr(torch, trainer.args.device.type).empty_cache()


def _copied(value: Any) -> Any:
    """A deep copy whose tensors lie in the machine's memory."""
    if isinstance(value, Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_copied(each) for each in value)
    return copy.copy(value)
