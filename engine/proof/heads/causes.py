"""Why a head is not exact, or has no proof: found by what it does, never by its name."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import torch

from engine.proof.gradients import difference
from engine.proof.heads.result import EXACT
from engine.proof.heads.shrink import parts_of

if TYPE_CHECKING:
    from engine.proof.heads.job import HeadProof

SWITCH = "output_router_logits"
COEFFICIENT = re.compile(r"loss_(coef|weight|alpha)$")
CAPACITY = re.compile(r"^expert_capacity$")


class NotProvable(Exception):
    """A head that can't be built or has no gradient to compare; `reason` is a code of `result.REASONS`."""

    def __init__(self, reason: str, detail: str = "", *, built: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.built = built


def why_inexact(proof: HeadProof) -> tuple[str, str]:
    """The code of the cause, and what was seen: each cause in turn is taken away, and the error looked at again."""
    if (apart := difference(proof.reference(), proof.reference()).relative_error) > EXACT:
        with ExitStack() as undo:
            undo.callback(setattr, proof, "before_forward", proof.before_forward)
            proof.before_forward = lambda: torch.manual_seed(0)
            return "random-inside", f"two equal passes differ by {apart:.1e}; {_then('seeded alike', proof)}"
    for reason, take_away, way in (
        ("auxiliary-loss", _zero_coefficients, "with coefficient 0"),
        ("experts-full", _widen_experts, "with room for all tokens"),
        ("batch-statistics", _freeze_batch_norms, "with kept statistics"),
    ):
        with ExitStack() as undo:
            if take_away(proof.model, undo) and proof.error() < EXACT:
                return reason, _then(way, proof)
    if (apart := _rows_apart(proof)) > EXACT:
        return "rows-mixed", f"a row's outputs move by {apart:.1e} (relative) when other rows join its batch"
    return "not-a-mean", ""


def _then(way: str, proof: HeadProof) -> str:
    return f"{way} the error is {proof.error():.1e}"


def auxiliary_switch(proof: HeadProof, undo: ExitStack) -> bool:
    """Turns the auxiliary loss of routers on until `undo` closes; whether that changes the loss."""
    parts = [part for part in parts_of(proof.model.config) if getattr(part, SWITCH, None) is False]
    if not parts:
        return False
    with torch.no_grad():
        before = float(proof.loss_of(proof.whole))
        for part in parts:
            undo.callback(setattr, part, SWITCH, False)
            setattr(part, SWITCH, True)
        return float(proof.loss_of(proof.whole)) != before


def _zero_coefficients(model: torch.nn.Module, undo: ExitStack) -> bool:
    return _replace(model, COEFFICIENT, 0.0, undo)


def _widen_experts(model: torch.nn.Module, undo: ExitStack) -> bool:
    return _replace(model, CAPACITY, 1 << 20, undo)


def _freeze_batch_norms(model: torch.nn.Module, undo: ExitStack) -> bool:
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        undo.callback(norm.train, norm.training)
        norm.eval()
    return bool(norms)


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


def _rows_apart(proof: HeadProof) -> float:
    """How far the logits of the first micro-batch's rows move when the other rows join them, relative."""
    part = proof.parts[0]
    rows = len(part["labels"])
    with torch.no_grad():
        alone = proof.model(**part).logits
        beside = proof.model(**proof.whole).logits[:rows]
    return float(torch.linalg.vector_norm(beside - alone) / torch.linalg.vector_norm(alone))
