"""The conditions of a proof: nothing drawn at random, a chosen precision, and all as before afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy
import torch
from torch.overrides import TorchFunctionMode


@contextmanager
def without_dropout(model: torch.nn.Module) -> Iterator[None]:
    """Train mode with every dropout probability at 0; batch statistics and checkpointing stay as in training.

    A probability is whatever number in a module or its configuration has “drop” in its name, and the `p` of
    torch's dropout modules. The jitter of routers goes with them: it multiplies by noise in training alone.
    """
    with ExitStack() as undo:
        was_training = {module: module.training for module in model.modules()}
        undo.callback(lambda: [module.train(mode) for module, mode in was_training.items()])
        model.train()
        seen: set[int] = set()
        for module in model.modules():
            if isinstance(module, torch.nn.modules.dropout._DropoutNd):
                undo.callback(setattr, module, "p", module.p)
                module.p = 0.0
            holders = [module, getattr(module, "config", None)]
            for holder in holders:
                if holder is not None and id(holder) not in seen:
                    seen.add(id(holder))
                    _calm(holder, undo)
        yield


def _calm(holder: Any, undo: ExitStack) -> None:
    for name, value in list(vars(holder).items()):
        if ("drop" in name or "jitter" in name) and isinstance(value, float) and value:
            undo.callback(setattr, holder, name, value)
            setattr(holder, name, 0.0)
        elif name.endswith("_config") and hasattr(value, "to_dict"):
            _calm(value, undo)


@contextmanager
def same_random_state(device: str = "cuda") -> Iterator[None]:
    """Whatever is drawn inside, afterwards the random states of Python, NumPy and torch are as before.

    torch's are those of the CPU and of all devices of the type `device`.
    """
    python, arrays = random.getstate(), numpy.random.get_state()
    with torch.random.fork_rng(device_type=device if device != "cpu" else "cuda"):
        try:
            yield
        finally:
            random.setstate(python)
            numpy.random.set_state(arrays)


class Fp64Throughout(TorchFunctionMode):
    """Answers a request for fp32 with fp64: many models ask for it inside (softmax, rotary positions, norms).

    For a model whose weights are fp64; without it such a model rounds in the middle. What names no type is fp64 too.
    """

    def __enter__(self) -> Fp64Throughout:
        self._before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()  # type: ignore[no-any-return, no-untyped-call]

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        torch.set_default_dtype(self._before)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.float:
            return args[0].double()
        args = tuple(torch.float64 if value is torch.float32 else value for value in args)
        kwargs = {name: torch.float64 if value is torch.float32 else value for name, value in kwargs.items()}
        return func(*args, **kwargs)
