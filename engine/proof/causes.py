"""Why an accumulated gradient is not the large batch's: found by what the model does, never by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, Protocol

import torch
from transformers import PreTrainedConfig, set_seed

from engine.proof.gradients import Gradient, difference

SWITCH = "output_router_logits"
COEFFICIENT = re.compile(r"loss_(coef|weight|alpha)$")
CAPACITY = re.compile(r"^expert_capacity$")


class Subject(Protocol):
    """A model with a window, and the proof of it, as it is now."""

    model: Any
    before_forward: Callable[[], object]
    """Called before each forward pass."""
    tolerance: float
    """Relative errors up to here are rounding."""

    def reference(self) -> Gradient:
        """The gradient of the model's own mean over the large batch."""

    def error(self) -> float:
        """Of the accumulated gradient against the reference, relative."""

    def error_at_equal_width(self) -> float:
        """The same with every micro-batch as wide as the large batch."""

    def loss(self) -> float:
        """Of the large batch, without a gradient."""

    def rows_apart(self) -> float:
        """How far the outputs of the first rows move when the other rows join their batch, relative."""


def why_inexact(proof: Subject) -> tuple[str, str]:
    """The code of the cause, and what was seen: each cause in turn is taken away, and the error looked at again."""
    if (apart := difference(proof.reference(), proof.reference()).relative_error) > proof.tolerance:
        with ExitStack() as undo:
            undo.callback(setattr, proof, "before_forward", proof.before_forward)
            proof.before_forward = lambda: set_seed(0)
            seeded = proof.error()
            why = " (a row in another place of its batch may be given other numbers)"
            seen = f"two equal passes differ by {apart:.1e}; seeded alike the error is {seeded:.1e}"
            return "random-inside", seen + (why if seeded > proof.tolerance else "")
    for reason, take_away, way in (
        ("auxiliary-loss", _zero_coefficients, "with coefficient 0"),
        ("experts-full", _widen_experts, "with room for all tokens"),
        ("batch-statistics", _freeze_batch_norms, "with kept statistics"),
    ):
        with ExitStack() as undo:
            if take_away(proof.model, undo) and proof.error() <= proof.tolerance:
                return reason, _then(way, proof)
    if (apart := proof.error_at_equal_width()) <= proof.tolerance:
        return "padding", f"at equal width the error is {apart:.1e}"
    if (apart := proof.rows_apart()) > proof.tolerance:
        return "rows-mixed", f"a row's outputs move by {apart:.1e} (relative) when other rows join its batch"
    return "not-a-mean", ""


def _then(way: str, proof: Subject) -> str:
    return f"{way} the error is {proof.error():.1e}"


def auxiliary_switch(proof: Subject, undo: ExitStack) -> bool:
    """Turns the auxiliary loss of routers on until `undo` closes; whether that changes the loss."""
    parts = [part for part in parts_of(proof.model.config) if getattr(part, SWITCH, None) is False]
    if not parts:
        return False
    before = proof.loss()
    for part in parts:
        undo.callback(setattr, part, SWITCH, False)
        setattr(part, SWITCH, True)
    return proof.loss() != before


def _zero_coefficients(model: torch.nn.Module, undo: ExitStack) -> bool:
    return _replace(model, COEFFICIENT, 0.0, undo)


def _widen_experts(model: torch.nn.Module, undo: ExitStack) -> bool:
    return _replace(model, CAPACITY, 1 << 20, undo)


def _freeze_batch_norms(model: torch.nn.Module, undo: ExitStack) -> bool:
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        undo.callback(norm.train, norm.training)
        norm.eval()
        # a training step puts the whole model into train mode again
        undo.callback(delattr, norm, "train")
        vars(norm)["train"] = partial(_unmoved, norm)
    return bool(norms)


def _unmoved(module: torch.nn.Module, mode: bool = True) -> torch.nn.Module:
    return module


def _replace(model: torch.nn.Module, names: re.Pattern[str], value: float, undo: ExitStack) -> bool:
    """Sets the numbers so named in the modules and the configuration until `undo` closes; whether there are any."""
    holders: list[Any] = [*model.modules(), *parts_of(model.config)]
    found = [
        (holder, name)
        for holder in holders
        for name, before in vars(holder).items()
        if names.search(name) and isinstance(before, (int, float))
    ]
    for holder, name in found:
        undo.callback(setattr, holder, name, vars(holder)[name])
        setattr(holder, name, value)
    return bool(found)


def rows_apart(model: Any, first: Mapping[str, Any], whole: Mapping[str, Any]) -> float:
    """How far the logits of the `first` rows move when the rest of the `whole` batch, as wide, joins them; relative."""
    with torch.no_grad():
        alone = model(**first).logits
        beside = model(**whole).logits[: len(first["labels"])]
    return float(torch.linalg.vector_norm(beside - alone) / torch.linalg.vector_norm(alone))


def parts_of(config: PreTrainedConfig) -> list[PreTrainedConfig]:
    """The configuration and all those inside it."""
    inside = [value for value in vars(config).values() if isinstance(value, PreTrainedConfig)]
    return [config, *(part for value in inside for part in parts_of(value))]
