"""Why a head is not exact, or has no proof: found by what it does, never by its name."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import torch

from engine.proof.gradients import difference
from engine.proof.heads.result import EXACT
from engine.proof.heads.shrink import parts_of

if TYPE_CHECKING:
    from engine.proof.heads.job import HeadProof

REASONS = {
    "library-missing": "needs a library that is not installed",
    "not-built": "its default configuration can't be made tiny",
    "too-large": "did not fit into the memory of a proof",
    "too-slow": "took longer than a proof may",
    "crashed": "ended the process that proved it",
    "forward-failed": "does not take plain text with labels",
    "no-loss": "computes no loss from labels",
    "not-finite": "its gradient is not a number",
    "random-inside": "draws at random in its forward pass: exact as soon as each pass draws the same",
    "auxiliary-loss": "adds a loss that is no mean over targets: exact as soon as its coefficient is 0",
    "batch-statistics": "normalises by statistics of the batch: exact as soon as it normalises by kept ones",
    "rows-mixed": "computes a row otherwise beside other rows: the same row gives other outputs in another batch",
    "not-a-mean": "its loss is no mean over the targets",
}
"""The words of each code in `HeadResult.reason`."""

SWITCH = "output_router_logits"


class NotProvable(Exception):
    """A head that can't be built or has no gradient to compare; `reason` is a code of `REASONS`."""

    def __init__(self, reason: str, detail: str, *, built: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.built = built


def why_inexact(proof: HeadProof) -> tuple[str, str]:
    """The code of the cause, and what was seen."""
    if (apart := difference(proof.reference(), proof.reference()).relative_error) > EXACT:
        proof.before_forward = lambda: torch.manual_seed(0)
        if (seeded := proof.error()) < EXACT:
            return "random-inside", f"two equal passes differ by {apart:.1e}; seeded alike, the error is {seeded:.1e}"
    with ExitStack() as undo:
        names = _zero_coefficients(proof.model, undo)
        if names and (without := proof.error()) < EXACT:
            return "auxiliary-loss", f"without {', '.join(names)} the error is {without:.1e}"
    with ExitStack() as undo:
        norms = _freeze_batch_norms(proof.model, undo)
        if norms and (frozen := proof.error()) < EXACT:
            return "batch-statistics", f"with {norms} batch norms in evaluation mode the error is {frozen:.1e}"
    if (apart := _rows_apart(proof)) > EXACT:
        return "rows-mixed", f"a row's outputs move by {apart:.1e} (relative) when other rows join its batch"
    return "not-a-mean", ""


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


def _zero_coefficients(model: torch.nn.Module, undo: ExitStack) -> list[str]:
    """Sets each coefficient of a router's losses to 0 until `undo` closes, and names them."""
    changed: set[str] = set()
    holders: list[Any] = [*model.modules(), *parts_of(model.config)]
    for holder in holders:
        for name, value in list(vars(holder).items()):
            if name.endswith("loss_coef") and value:
                undo.callback(setattr, holder, name, value)
                setattr(holder, name, 0.0)
                changed.add(name)
    return sorted(changed)


def _freeze_batch_norms(model: torch.nn.Module, undo: ExitStack) -> int:
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        undo.callback(norm.train, norm.training)
        norm.eval()
    return len(norms)


def _rows_apart(proof: HeadProof) -> float:
    """How far the logits of the first micro-batch's rows move when the other rows join them, relative."""
    part = proof.parts[0]
    rows = len(part["labels"])
    with torch.no_grad():
        alone = proof.model(**part).logits
        beside = proof.model(**proof.whole).logits[:rows]
    return float(torch.linalg.vector_norm(beside - alone) / torch.linalg.vector_norm(alone))
