"""The same rows trained by several plans from the same weights: their loss curves lie on one another, or do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from transformers import set_seed
from transformers.trainer_utils import IntervalStrategy, SaveStrategy

from engine.accumulation import Normalization
from engine.events import Event, UpdateDone
from engine.proof.bench import Bench
from engine.proof.prove import BatchPlan
from engine.trainer import Progress


@dataclass(frozen=True)
class Curve:
    """The loss of each update of one plan."""

    plan: BatchPlan
    normalization: Normalization
    losses: tuple[float, ...] = ()

    def apart(self, other: Curve) -> float:
        """The largest difference between two curves over the updates that both have, relative to the other's loss."""
        pairs = zip(self.losses, other.losses, strict=False)
        return max((abs(mine - theirs) / max(abs(theirs), 1e-12) for mine, theirs in pairs), default=0.0)


def side_by_side(
    bench: Bench,
    plans: Sequence[tuple[BatchPlan, Normalization]],
    updates: int,
    *,
    tell: Callable[[Curve], None] = lambda curve: None,
    check: Callable[[], None] = lambda: None,
) -> list[Curve]:
    """Trains `updates` updates of each plan, with the run's own optimizer and schedule, from the weights as they are.

    `tell` is given each curve as it grows. The weights are bit-identical to before afterwards.
    """
    before = {name: value.detach().clone() for name, value in bench.model.state_dict().items()}
    curves = []
    try:
        for plan, normalization in plans:
            check()
            bench.model.load_state_dict(before)
            curves.append(_trained(bench, Curve(plan, normalization), updates, tell, check))
    finally:
        bench.model.load_state_dict(before)
        bench.model.zero_grad(set_to_none=True)
    return curves


def _trained(
    bench: Bench, curve: Curve, updates: int, tell: Callable[[Curve], None], check: Callable[[], None]
) -> Curve:
    ours, prepared = bench.trainer, bench.prepared
    rows, steps = curve.plan
    losses: list[float] = []

    def emit(event: Event) -> None:
        if isinstance(event, UpdateDone):
            losses.append(math.nan if event.loss is None else event.loss)
            tell(replace(curve, losses=tuple(losses)))

    arguments: Any = replace(
        ours.args,
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=steps,
        max_steps=updates,
        eval_strategy=IntervalStrategy.NO,
        save_strategy=SaveStrategy.NO,
        load_best_model_at_end=False,
    )
    arguments._n_gpu = ours.args.n_gpu
    set_seed(prepared.config.seed)
    trainer = type(ours)(
        run=0,
        emit=emit,
        progress=Progress(),
        gate=lambda window: check(),
        check=check,
        normalization=curve.normalization,
        window_order=ours.window_order if curve.normalization == "exact" else "random",
        model=bench.model,
        args=arguments,
        train_dataset=prepared.train,
        processing_class=prepared.loaded.tokenizer,
        data_collator=ours.data_collator,
        compute_loss_func=ours.compute_loss_func,
    )
    if ours.documented:
        trainer.loss_is_scaled_for_ga = ours.loss_is_scaled_for_ga
    with torch.enable_grad():
        trainer.train()
    return replace(curve, losses=tuple(losses))
