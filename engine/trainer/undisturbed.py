"""Using a model in the middle of its training so that the training can't tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from engine.trainer.restoring import RandomState


@contextmanager
def undisturbed(model: torch.nn.Module, device: torch.device) -> Iterator[None]:
    """Without gradient and with every module in evaluation mode; modes and random states are afterwards as before."""
    training = [module for module in model.modules() if module.training]
    state = RandomState(device)
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module in training:
            module.training = True
        state.restore()
