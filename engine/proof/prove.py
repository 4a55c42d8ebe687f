"""One window in several ways, each against the gradient of the model's own mean over the window's targets."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal

from engine.memory.exhausted import is_out_of_memory
from engine.models import architecture
from engine.proof.bench import Bench
from engine.proof.causes import why_inexact
from engine.proof.gradients import Difference, Gradient, by_layer, difference

BatchPlan = tuple[int, int]
"""Rows of a micro-batch, and micro-batches of a window."""

WayName = Literal["accumulated", "large-batch", "mean-of-means", "trainer", "trainer-large-batch"]

TOLERANCE = {"fp32": 1e-5, "fp64": 1e-9}
"""Up to here a difference is rounding."""


@dataclass(frozen=True)
class Layer:
    """How far one layer's gradient is from the reference; None where the reference is zero there."""

    name: str
    relative_error: float | None
    norm_ratio: float | None


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to the window's gradient, compared with the reference.

    `accumulated` is what a run does; `large-batch` the run's loss on one batch of all rows; `trainer` the stock Trainer
    and `trainer-large-batch` the same at one micro-batch. `own_error`, of an accumulated custom loss: relative to the
    large batch of that same loss.
    """

    plan: BatchPlan
    name: WayName
    loss: float
    relative_error: float
    cosine: float
    norm_ratio: float
    seconds: float
    own_error: float | None = None
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Proof:
    """`reference` says what the gradients were compared with: `large-batch`, or `rows` where that does not fit.

    `ways` holds, for each plan, the ways that were gone. `cause`, where an exact run is not the large batch: a code of
    `engine.proof.causes.why_inexact` and what was seen. `own_loss`: a custom loss or a Trainer of the user's own.
    """

    model_class: str
    precision: str
    device: str
    rows: int
    targets: int
    reference: Literal["large-batch", "rows"]
    reference_loss: float
    own_loss: bool
    window_order: str
    cause: tuple[str, str] | None = None
    ways: tuple[Way, ...] = ()

    def way(self, name: WayName, plan: BatchPlan | None = None) -> Way | None:
        """The way of this name, of the first plan or of the one given."""
        return next((way for way in self.ways if way.name == name and plan in (None, way.plan)), None)

    @property
    def tolerance(self) -> float:
        return TOLERANCE[self.precision]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON, the tolerance among them; a number that is none becomes null."""
        plain: dict[str, Any] = _plain({**asdict(self), "tolerance": self.tolerance})
        return plain


def plans_of(product: int) -> list[BatchPlan]:
    """The plans of one effective batch, micro-batches of 1, 2, 4 … rows first, and the large batch."""
    return [(rows, product // rows) for rows in range(1, product + 1) if product % rows == 0]


def prove(
    bench: Bench,
    plans: Sequence[BatchPlan],
    *,
    tell: Callable[[Proof], None] = lambda proof: None,
    check: Callable[[], None] = lambda: None,
) -> Proof:
    """Goes through the window in every way of every plan; `tell` is given the proof as it grows.

    The first plan is the run's own: it is dealt as the run deals it. A way whose micro-batches do not fit into memory
    is left out. `check` may raise to give up between two ways.
    """
    walk = _Walk(bench, tell, check)
    if walk.proof.reference == "large-batch":
        walk.go((len(bench.rows), 1), "large-batch", bench.large_batch)
        walk.go((len(bench.rows), 1), "trainer-large-batch", partial(bench.stock, len(bench.rows)))
    for number, plan in enumerate(plans):
        rows, steps = plan
        tokens = bench.trainer.micro_batch_tokens if number == 0 else None
        walk.go(plan, "accumulated", partial(bench.accumulated, rows, steps, tokens=tokens))
        if not bench.trainer.documented:
            means = partial(bench.accumulated, rows, steps, normalization="mean-of-means", order="random")
            walk.go(plan, "mean-of-means", means)
        walk.go(plan, "trainer", partial(bench.stock, rows))
        if number == 0:
            walk.seek_cause(plan)
    return walk.proof


class _Walk:
    """The proof so far, and what the next way is compared with."""

    def __init__(self, bench: Bench, tell: Callable[[Proof], None], check: Callable[[], None]) -> None:
        self.bench = bench
        self.tell = tell
        self.check = check
        self.own_large: Gradient | None = None
        reference, loss, self.right = self._reference()
        self.proof = Proof(
            model_class=architecture(bench.model),
            precision=bench.precision,
            device=bench.trainer.args.device.type,
            rows=len(bench.rows),
            targets=bench.targets,
            reference=reference,
            reference_loss=loss,
            own_loss=bench.trainer.documented,
            window_order=bench.trainer.window_order,
        )

    def _reference(self) -> tuple[Literal["large-batch", "rows"], float, Gradient]:
        try:
            return "large-batch", *self.bench.own_mean()
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
        return "rows", *self.bench.own_mean_row_by_row()

    def seek_cause(self, plan: BatchPlan) -> None:
        """Where a run that should be exact is not, finds out why."""
        mine, config = self.proof.way("accumulated", plan), self.bench.prepared.config
        if mine is None or mine.relative_error <= self.proof.tolerance or self.proof.reference != "large-batch":
            return
        if config.loss_normalization == "exact" and not self.proof.own_loss:
            self.check()
            with _Planned(self.bench, plan) as planned:
                self.proof = replace(self.proof, cause=why_inexact(planned))
            self.tell(self.proof)

    def go(self, plan: BatchPlan, name: WayName, way: Callable[[], tuple[float, Gradient]]) -> None:
        self.check()
        began = time.perf_counter()
        try:
            loss, found = way()
        except Exception as problem:
            if is_out_of_memory(problem):
                return
            raise
        apart = difference(found, self.right)
        own_error = None
        if self.bench.trainer.documented and name == "large-batch":
            self.own_large = found
        elif self.own_large is not None and name == "accumulated":
            own_error = difference(found, self.own_large).relative_error
        gone = Way(
            plan=plan,
            name=name,
            loss=loss,
            relative_error=apart.relative_error,
            cosine=apart.cosine,
            norm_ratio=apart.norm_ratio,
            own_error=own_error,
            seconds=time.perf_counter() - began,
            layers=_layers(self.bench, found, self.right),
        )
        self.proof = replace(self.proof, ways=(*self.proof.ways, gone))
        self.tell(self.proof)


class _Planned:
    """The proof of one plan on a bench, for `engine.proof.causes`."""

    def __init__(self, bench: Bench, plan: BatchPlan) -> None:
        self.bench = bench
        self.plan = plan
        self.model = bench.model
        self.tolerance = TOLERANCE[bench.precision]
        self.before_forward: Callable[[], object] = lambda: None

    def __enter__(self) -> _Planned:
        self._hook = self.model.register_forward_pre_hook(lambda *_: self._begin())
        return self

    def __exit__(self, *raised: object) -> None:
        self._hook.remove()

    def _begin(self) -> None:
        self.before_forward()

    def reference(self) -> Gradient:
        return self.bench.own_mean()[1]

    def error(self) -> float:
        return self._apart(self.bench.accumulated(*self.plan)[1])

    def error_at_equal_width(self) -> float:
        return self._apart(self.bench.accumulated(*self.plan, equal_width=True)[1])

    def loss(self) -> float:
        return self.bench.loss()

    def rows_apart(self) -> float:
        return self.bench.rows_apart(self.plan[0])

    def _apart(self, found: Gradient) -> float:
        return difference(found, self.reference()).relative_error


def _layers(bench: Bench, found: Gradient, right: Gradient) -> tuple[Layer, ...]:
    mine, theirs = by_layer(found), by_layer(right)
    order = by_layer(dict(bench.model.named_parameters()))
    result = []
    for name in order:
        if name in mine or name in theirs:
            apart: Difference = difference(mine.get(name, {}), theirs.get(name, {}))
            result.append(Layer(name, finite(apart.relative_error), finite(apart.norm_ratio)))
    return tuple(result)


def finite(value: float) -> float | None:
    """The number, or None for what is none, as JSON has it."""
    return value if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
