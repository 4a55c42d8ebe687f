"""Gradients as values, and how far one is from another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.trainer.layers import layer_of

Gradient = dict[str, Tensor]
"""By the name of the parameter, on the CPU. A parameter without a gradient is left out."""


@dataclass(frozen=True)
class Difference:
    """Of a gradient g from a reference r, over all parameters as one vector.

    `relative_error` is ‖g − r‖ / ‖r‖, `cosine` g·r / (‖g‖ ‖r‖), `norm_ratio` ‖g‖ / ‖r‖. All are NaN where r is zero
    and g is not; equal zeros are exact.
    """

    relative_error: float
    cosine: float
    norm_ratio: float


def gradient_of(model: torch.nn.Module, backward: Callable[[], object]) -> Gradient:
    """What `backward` adds up in the parameters' `grad`, which begin and end cleared."""
    model.zero_grad(set_to_none=True)
    try:
        backward()
        return {
            name: parameter.grad.detach().to("cpu", copy=True)
            for name, parameter in model.named_parameters()
            if parameter.grad is not None
        }
    finally:
        model.zero_grad(set_to_none=True)


def difference(found: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Difference:
    """How far `found` is from `right`, summed in fp64; a parameter that one of the two lacks counts as zero there."""
    apart = found_square = right_square = product = 0.0
    for name in dict.fromkeys([*right, *found]):
        some = found[name] if name in found else right[name]
        mine, other = (
            side[name].double() if name in side else torch.zeros_like(some, dtype=torch.float64)
            for side in (found, right)
        )
        apart += float(torch.sum((mine - other) ** 2))
        found_square += float(torch.sum(mine**2))
        right_square += float(torch.sum(other**2))
        product += float(torch.sum(mine * other))
    if right_square == 0.0:
        same = found_square == 0.0
        return Difference(0.0, 1.0, 1.0) if same else Difference(*[float("nan")] * 3)
    norms = (found_square * right_square) ** 0.5
    return Difference(
        (apart / right_square) ** 0.5, product / norms if norms else 0.0, (found_square / right_square) ** 0.5
    )


def by_layer(gradient: Mapping[str, Tensor]) -> dict[str, Gradient]:
    """The gradient's parts by layer: the name up to and including its first number, else up to its last module."""
    parts: dict[str, Gradient] = defaultdict(dict)
    for name, value in gradient.items():
        parts[layer_of(name)][name] = value
    return dict(parts)
