"""What weights, gradients and optimizer state take, counted exactly: each storage once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

from engine.memory.storages import tensors_in


def shares(model: torch.nn.Module, optimizer: Any, device: torch.device) -> dict[str, int]:
    """Bytes on `device` by name: `weights` (and buffers), `gradients`, `optimizer`."""
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return {
        "weights": size_of(held_by(model), device),
        "gradients": size_of(gradients, device),
        "optimizer": size_of(tensors_in(optimizer.state if optimizer is not None else None), device),
    }


def held_by(model: torch.nn.Module) -> Iterator[Tensor]:
    """Parameters and buffers."""
    yield from model.parameters()
    yield from model.buffers()


def size_of(tensors: Iterable[Tensor], device: torch.device) -> int:
    """Bytes of the storages on `device` behind strided tensors."""
    found = (tensor.untyped_storage() for tensor in tensors if tensor.layout == torch.strided)
    sizes = {storage._cdata: storage.nbytes() for storage in found if storage.device.type == device.type}
    return sum(sizes.values())
