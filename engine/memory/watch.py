"""What tells a ledger which tensors are which: hooks on a model for as long as it is watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from engine.memory.ledger import Ledger
from engine.memory.storages import tensors_in


@contextmanager
def watched(model: torch.nn.Module, ledger: Ledger) -> Iterator[None]:
    """Claims the weights and gradients that are there, those gradients that come, and what is kept for backward.

    Inside, every allocation bears the name of the module at work; in the backward pass that is the module whose
    kept tensor was last asked for.
    """
    with ExitStack() as undo:
        for name, module in model.named_modules(remove_duplicate=True):
            watch = _Module(ledger, name or type(model).__name__)
            undo.callback(module.register_forward_pre_hook(watch.begin).remove)
            undo.callback(module.register_forward_hook(watch.end, always_call=True).remove)
        for name, value in [*model.named_parameters(), *model.named_buffers()]:
            ledger.claim(value.data, "weights", name)
        for name, parameter in model.named_parameters():
            ledger.claim(parameter.grad, "gradients", name)
            if parameter.requires_grad:
                hook = partial(_claim_gradient, ledger, name)
                handle: Any = parameter.register_post_accumulate_grad_hook(hook)  # type: ignore[no-untyped-call]
                undo.callback(handle.remove)
        undo.enter_context(saved_tensors_hooks(partial(_keep, ledger), partial(_give, ledger)))
        yield


def claim_state(ledger: Ledger, optimizer: torch.optim.Optimizer, model: torch.nn.Module) -> None:
    """Says what the optimizer keeps from one update to the next."""
    names: dict[Tensor, str] = {parameter: name for name, parameter in model.named_parameters()}
    for parameter, state in optimizer.state.items():
        for key, value in state.items() if isinstance(state, dict) else ():
            for tensor in tensors_in(value):
                ledger.claim(tensor, "optimizer", f"{names.get(parameter, 'optimizer')}.{key}")


class _Module:
    """The hooks of one module."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger = ledger
        self.name = name
        self.outer: list[str | None] = []

    def begin(self, module: torch.nn.Module, args: Any) -> None:
        self.outer.append(self.ledger.module)
        self.ledger.module = self.name
        self.ledger.depth += 1

    def end(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        self.ledger.module = self.outer.pop()
        self.ledger.depth -= 1


def _claim_gradient(ledger: Ledger, name: str, parameter: Tensor) -> None:
    ledger.claim(parameter.grad, "gradients", name)


def _keep(ledger: Ledger, tensor: Tensor) -> tuple[Tensor, str | None]:
    ledger.claim(tensor, "activations")
    return tensor, ledger.module


def _give(ledger: Ledger, kept: tuple[Tensor, str | None]) -> Tensor:
    tensor, ledger.module = kept
    return tensor
