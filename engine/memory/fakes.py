"""Fake tensors that a training step runs on: sizes without contents, but for the small whole numbers that steer it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
import transformers.integrations.moe
import transformers.utils.import_utils
from torch import Tensor
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._mode_utils import no_dispatch

from engine.memory.gpu_ways import gpu_ways

KNOWN_NUMBERS = 2**22
"""Token ids, masks and positions up to so many are computed for real, so that what a model decides by them is right."""

KNOWN_FRACTIONS = 2**16
"""The same of masks that are added to something."""

aten = torch.ops.aten
_MADE = frozenset(
    (
        aten.arange.default, aten.arange.start, aten.arange.start_step, aten.ones.default, aten.zeros.default,
        aten.full.default,
    )
)  # fmt: skip
_ASKED = frozenset((aten._local_scalar_dense.default, aten.nonzero.default))
_ANY = frozenset((aten.any.default, aten.any.dim, aten.any.dims))


class Fakes(FakeTensorMode):  # type: ignore[no-untyped-call]
    """Where a value is asked for that is not known, answers as an ordinary batch would.

    No number is infinite, no layer is dropped by chance, and a token goes to each of `experts` as often as to any
    other; every other condition holds, and every other number is one.
    """

    experts: int | None = None
    building = True
    """Whether what is made may be a weight, which changes."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _ASKED and args[0].constant is None:
            return self._answer(func, args[0])
        result: Any = super().__torch_dispatch__(func, types, args, kwargs or {})
        if func in _MADE:
            return self._made(result, func, args, kwargs or {})
        if func is aten.rand.default and result.numel() == 1:
            with no_dispatch():
                high = torch.full(result.shape, 0.999)
            return self.known(high)
        if func in _ANY:
            result.any_of = True
        return result

    def _answer(self, func: Any, asked: Any) -> Any:
        if func is aten._local_scalar_dense.default:
            return not hasattr(asked, "any_of") if asked.dtype is torch.bool else 1
        if asked.dim() == 1:
            with no_dispatch():
                # some leave a place beyond the last expert for tokens that go to none
                places = torch.arange(min(asked.numel(), self.experts or asked.numel()))[:, None]
            return self.known(places)
        spread = self.experts if asked.dim() == 2 else None
        return asked.new_empty((asked.numel() // (spread or 1), asked.dim()), dtype=torch.int64)

    def _made(self, result: Tensor, func: Any, args: Any, options: Any) -> Tensor:
        fraction = result.is_floating_point()
        most = KNOWN_FRACTIONS if fraction else KNOWN_NUMBERS
        if result.numel() > most or result.device.type != "cpu" or (fraction and self.building):
            return result
        with no_dispatch():
            known = func(*args, **options)
        return self.known(known)

    def known(self, values: Tensor) -> FakeTensor:
        """A fake tensor whose values are computed with."""
        small = values.numel() <= KNOWN_NUMBERS
        return self.fake_tensor_converter.from_real_tensor(self, values, make_constant=small)


def _moved(module: torch.nn.Module, *place: Any, **options: Any) -> torch.nn.Module:
    """`Module.to` for modules of fake tensors, which stay where they are and change their type alone."""
    if not isinstance(next(module.parameters(), None), FakeTensor):
        return _move(module, *place, **options)
    _, dtype, *_ = torch._C._nn._parse_to(*place, **options)
    for part in module.modules() if dtype is not None else ():
        for name, parameter in part._parameters.items():
            if parameter is not None and parameter.is_floating_point() and parameter.dtype != dtype:
                part._parameters[name] = torch.nn.Parameter(parameter.data.to(dtype), parameter.requires_grad)
    return module


_move = torch.nn.Module.to


@contextmanager
def fake_conditions(device: str) -> Iterator[None]:
    """What models and libraries must believe of fake tensors that lie on a CPU and stand for `device`."""
    with ExitStack() as undo:
        undo.enter_context(patch.object(fake_tensor, "CONSTANT_NUMEL_LIMIT", KNOWN_NUMBERS))
        # else models take every batch for one with padding, packed, of unknown content
        undo.enter_context(patch.object(transformers.utils.import_utils, "is_fake_tensor", lambda value: False))
        # its fake operator knows bf16 alone; what stands in for it is as large
        undo.enter_context(patch.object(transformers.integrations.moe, "_can_use_grouped_mm", lambda *given: False))
        undo.enter_context(patch.object(torch.nn.Module, "to", _moved))
        # it tells the terminal what is raised as well
        undo.enter_context(patch.object(logging.getLogger(fake_tensor.__name__), "disabled", True))
        if device != "cpu":
            undo.enter_context(gpu_ways(device))
        yield
