"""What the proof of one head found."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from engine.proof.heads.mapping import Head, ProblemType

EXACT = 1e-9
"""Relative errors of gradients in fp64 below this are rounding."""

REASONS = {
    "library-missing": "needs a library that is not installed",
    "not-built": "its default configuration can't be made tiny",
    "too-large": "did not fit into the memory of a proof",
    "too-slow": "took longer than a proof may",
    "crashed": "ended the process that proved it",
    "forward-failed": "does not take rows of text with labels",
    "no-loss": "computes no loss from labels",
    "no-gradient": "no weight of it has a gradient",
    "not-finite": "its gradient is not a number",
    "random-inside": "draws at random in its forward pass: two passes over the same rows differ",
    "auxiliary-loss": "adds a loss that is no mean over targets",
    "experts-full": "its experts take only so many tokens of a batch and drop the others",
    "batch-statistics": "normalises by statistics of the batch",
    "padding": "changes its outputs with the width of the padding",
    "rows-mixed": "computes a row otherwise beside other rows",
    "not-a-mean": "its loss is no mean over the targets",
}
"""The words of each code in `HeadResult.reason`."""

TrainerWay = Literal["exact", "mean-of-means", "undivided", "own-large-batch", "otherwise"]


@dataclass(frozen=True, kw_only=True)
class HeadResult:
    """One head's row of the table. A number is None where it was not found.

    Errors are of gradients, relative to the gradient of the model's own mean over all 8 rows, in fp64 throughout.

    head: the model class.
    built: it is tiny and has a loss from rows of text.
    relative_error: of our accumulation.
    plain_relative_error: the same where the model may round to fp32 inside; None where it can't mix the two.
    auxiliary_relative_error: ours with the router's auxiliary loss on, where the head has such a switch.
    mean_of_means_relative_error: of the plain mean of the micro-batches' means.
    trainer_norm_ratio, trainer_relative_error: of the stock Trainer's gradient.
    trainer_way: what that gradient is; `undivided` is the sum of the micro-batches' means, `own-large-batch` what the
        stock Trainer makes of all 8 rows as one micro-batch, where that too is not the model's own mean.
    shifts: whether a position's label is the token after it.
    unreached: the outermost parts of the model that no gradient reaches from text.
    reason, detail: wherever a head is not built or not exact, a code of `REASONS` and what is behind it.
    """

    head: str
    model_type: str
    task: str
    problem_type: ProblemType | None = None
    built: bool = False
    relative_error: float | None = None
    plain_relative_error: float | None = None
    auxiliary_relative_error: float | None = None
    mean_of_means_relative_error: float | None = None
    trainer_norm_ratio: float | None = None
    trainer_relative_error: float | None = None
    trainer_way: TrainerWay | None = None
    shifts: bool | None = None
    parameters: int | None = None
    unreached: tuple[str, ...] = ()
    reason: str | None = None
    detail: str = ""
    seconds: float = 0.0

    @property
    def exact(self) -> bool:
        return self.relative_error is not None and self.relative_error < EXACT

    @property
    def trainer_exact(self) -> bool:
        return self.trainer_relative_error is not None and self.trainer_relative_error < EXACT

    @classmethod
    def of(cls, head: Head, **found: Any) -> HeadResult:
        named: dict[str, Any] = {
            "head": head.name,
            "model_type": head.model_type,
            "task": head.task,
            "problem_type": head.problem_type,
        }
        return cls(**named, **found)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HeadResult:
        """The inverse of `to_dict`."""
        derived = ("exact", "trainer_exact")
        kept = {name: value for name, value in values.items() if name not in derived}
        return cls(**{**kept, "unreached": tuple(kept.get("unreached", ()))})

    def to_dict(self) -> dict[str, Any]:
        """All columns, ready for JSON: an error that is no number is None."""
        columns = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }
        return {**columns, "exact": self.exact, "trainer_exact": self.trainer_exact}

    def but(self, **changes: Any) -> HeadResult:
        return replace(self, **changes)
