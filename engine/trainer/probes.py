"""What a model makes of padding and of packing, found by trying.

Logits are compared besides the loss: of a model that has learnt nothing yet the loss hardly moves, whatever it reads,
while its gradient is off by percents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

Batch = Mapping[str, Any]
ForwardOf = Callable[[dict[str, Any]], tuple[Tensor, Any]]
"""The loss of a batch, and the model's outputs."""

TOLERANCE, LOGITS_TOLERANCE = 1e-4, 3e-5
"""Relative, of a loss and of logits; rounding in fp32 stays far below, a padded or neighbouring row that is really read
far above."""


@contextmanager
def unrounded() -> Iterator[None]:
    """Without TF32, which rounds logits by more than what a probe looks for."""
    backends: Any = torch.backends  # whose types do not tell of the switch
    before = backends.fp32_precision
    backends.fp32_precision = "ieee"
    try:
        yield
    finally:
        backends.fp32_precision = before


def padding_changes(forward: ForwardOf, alone: Batch, padded: Batch) -> float | None:
    """How far padding moves a row's loss or its logits, relative; None where it moves neither.

    `alone` is a batch of one row without padding, `padded` one whose first row is the same, padded to another's width.
    """
    first = {name: value[:1] for name, value in padded.items()}
    with torch.no_grad():
        (expected, right), (found, tried) = forward(dict(alone)), forward(first)
    logits, wider = _logits(right), _logits(tried)
    if logits is not None and wider is not None and logits.dim() > 1:
        return _moved(found, expected, wider[:, : logits.shape[1]], logits)
    return _moved(found, expected)


def last_token_changes(forward: ForwardOf, batch: Batch, other: Batch) -> float | None:
    """How far the last token of a row moves the logits before it, relative; None where it does not, as is right."""
    with torch.no_grad():
        (_, right), (_, tried) = forward(dict(batch)), forward(dict(other))
    logits, found = _logits(right), _logits(tried)
    zero = torch.zeros(())
    if logits is None or found is None or logits.dim() < 3:
        return None
    return _moved(zero, zero, found[:, :-1], logits[:, :-1])


def packing_changes(forward: ForwardOf, padded: Batch, packed: Batch) -> float | None:
    """How far the loss or the logits of rows laid end to end are from those of the same rows padded, relative.

    None where they are not.
    """
    with torch.no_grad():
        (expected, right), (found, tried) = forward(dict(padded)), forward(dict(packed))
    real, logits, laid = padded["attention_mask"].bool(), _logits(right), _logits(tried)
    if logits is not None and laid is not None and logits.shape[:2] == real.shape:
        return _moved(found, expected, laid.flatten(0, 1), logits[real.to(logits.device)])
    return _moved(found, expected)


def _moved(found: Tensor, expected: Tensor, laid: Tensor | None = None, logits: Tensor | None = None) -> float | None:
    by_loss = abs(float(found) - float(expected)) / max(abs(float(expected)), 1e-6)
    by_logits = 0.0
    # a model may give them in other shapes, so that nothing can be laid side by side
    if laid is not None and logits is not None and laid.shape == logits.shape:
        apart, size = (torch.linalg.vector_norm(each.float()) for each in (laid - logits, logits))
        by_logits = float(apart / size.clamp(min=1e-6))
    return max(by_loss, by_logits) if by_loss > TOLERANCE or by_logits > LOGITS_TOLERANCE else None


def _logits(outputs: Any) -> Tensor | None:
    """None where a Trainer of the user's own gives something else."""
    return getattr(outputs, "logits", None)
