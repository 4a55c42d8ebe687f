"""A trainer's state kept aside, so that a step that was only tried leaves no trace, bit by bit."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor

from engine.memory.storages import tensors_in
from engine.proof.calm import same_random_state
from engine.trainer import AccumulatingTrainer

Kept = list[tuple[Tensor, Tensor]]
"""Tensors that stay where they are, each with a copy in the machine's memory."""


@contextmanager
def as_before(trainer: AccumulatingTrainer) -> Iterator[None]:
    """Whatever trains inside begins without gradients, and afterwards all is as it was, bit by bit: weights, buffers,
    gradients, optimizer, schedule, scaler and random state. Nothing of it stays on the device.
    """
    model, accelerator = trainer.model, trainer.accelerator
    with same_random_state(trainer.args.device.type), ExitStack() as undo:
        undo.callback(_clear_device, trainer.args.device.type)
        undo.callback(accelerator.gradient_state._set_sync_gradients, accelerator.gradient_state.sync_gradients)
        undo.callback(_put_back, _kept((*model.parameters(), *model.buffers())))
        for module in model.modules():
            undo.callback(setattr, module, "training", module.training)
        for parameter in model.parameters():
            if parameter.grad is not None:
                undo.callback(_put_gradient, parameter, _copy(parameter.grad), parameter.grad.device)
            else:
                undo.callback(setattr, parameter, "grad", None)
            parameter.grad = None
        optimizer = getattr(trainer.optimizer, "optimizer", trainer.optimizer)
        if optimizer is not None:
            undo.callback(_put_back, _kept(tensors_in(list(optimizer.state.values()))))
            undo.callback(_put_state, optimizer, {key: dict(value) for key, value in optimizer.state.items()})
            for group in optimizer.param_groups:
                undo.callback(group.update, {key: value for key, value in group.items() if key != "params"})
        for other in (trainer.lr_scheduler, accelerator.scaler):
            if other is not None:
                undo.callback(other.load_state_dict, copy.deepcopy(other.state_dict()))
        yield


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", copy=True)


def _kept(tensors: Iterable[Tensor]) -> Kept:
    return [(tensor.detach(), _copy(tensor)) for tensor in tensors]


def _put_back(kept: Kept) -> None:
    for tensor, value in kept:
        tensor.copy_(value)


def _put_gradient(parameter: Tensor, value: Tensor, device: torch.device) -> None:
    parameter.grad = value.to(device)


def _put_state(optimizer: torch.optim.Optimizer, state: dict[Any, Any]) -> None:
    optimizer.state.clear()
    optimizer.state.update(state)


def _clear_device(device: str) -> None:
    gc.collect()
    if device in ("cuda", "mps"):
        getattr(torch, device).empty_cache()
