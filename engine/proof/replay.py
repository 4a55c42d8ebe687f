"""The window under way gone through once more, as one large batch and as it is dealt, in the midst of the training."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from transformers.trainer_callback import CallbackHandler, DefaultFlowCallback

from engine.errors import RunError, RunStopped, reason_of
from engine.events import WindowReplayed
from engine.memory.budget import LiveBytes, imposed
from engine.memory.exhausted import asked_of, is_out_of_memory, let_go
from engine.memory.release import release
from engine.memory.sampler import available
from engine.memory.shares import held_by, size_of
from engine.memory.storages import tensors_in
from engine.proof.calm import without_dropout
from engine.proof.gradients import Gradient, difference, gradient_of
from engine.proof.prove import TOLERANCE
from engine.support import steps_in_backward
from engine.trainer import COUNT, AccumulatingTrainer, Progress, Window
from engine.trainer.restoring import RandomState
from engine.trainer.windows import UnderWay

HALF = 3e-2
"""What rounding makes of a gradient where half precision takes part: bf16 weights alone are off by up to 8e-3."""

Way = tuple[dict[str, Any], Gradient]


def replay(
    trainer: AccumulatingTrainer, *, budget: int | None = None, check: Callable[[], None] = lambda: None
) -> WindowReplayed:
    """Compares the window that `trainer` has under way with one batch of all its rows, by the loss that the run uses.

    With the weights as they are and every dropout at 0. Afterwards weights, gradients, optimizer, buffers and random
    state are as before, bit by bit; only what a Trainer or a loss of the user's own counts for itself is not known
    here. Neither way may take more than `budget` bytes beside what the run has accumulated, nor on a CPU more than is
    free; one that would is told as such. `check` may raise to leave between two micro-batches.

    Raises:
        RunError: there is no window, its rows are not at hand, or going through it failed otherwise.
    """
    place = trainer.under_way
    if place is None:
        raise RunError("run.replay-no-window")
    window, update = place.window, trainer.state.global_step + 1
    if trainer.ranks.several:
        raise RunError("run.replay-several")
    if not window.rows:
        raise RunError("run.replay-no-rows")
    if steps_in_backward(name := str(trainer.args.optim)):
        raise RunError("run.replay-steps", name=name)
    parts = [count.examples for count in window.counts]
    failures: list[dict[str, Any]] = []
    with _undone(trainer, place, check):
        found = [_way(trainer, place, rows, budget, failures) for rows in ([len(window.rows)], parts)]
    large, accumulated = found
    if trainer.args.device.type != "cpu":
        # what the large batch has made the allocator reserve
        release()
    apart = difference(accumulated[1], large[1]) if large and accumulated else None
    return WindowReplayed(
        run=trainer.run,
        update=update,
        index=place.done,
        plan={"rows": len(window.rows), "targets": window.targets, "micro_batches": parts},
        large=large[0] if large else None,
        accumulated=accumulated[0] if accumulated else None,
        failure=failures[0] if failures else None,
        relative_error=apart.relative_error if apart else None,
        cosine=apart.cosine if apart else None,
        tolerance=HALF if trainer.args.bf16 or trainer.args.fp16 else TOLERANCE["fp32"],
    )


def _way(
    trainer: AccumulatingTrainer, place: UnderWay, parts: list[int], budget: int | None, failures: list[dict[str, Any]]
) -> Way | None:
    """The window in micro-batches of so many rows each; None, and the failure, where that does not fit."""
    try:
        return _gone(trainer, place, parts, budget)
    except RunStopped:
        raise
    except Exception as problem:
        if not is_out_of_memory(problem):
            raise RunError("run.replay-failed", reason=reason_of(problem)) from problem
        asked = asked_of(problem)
        failures.append({"requested_bytes": asked.requested, "taken_bytes": asked.taken, "budget_bytes": asked.budget})
        let_go(problem)
        release()
    return None


def _gone(trainer: AccumulatingTrainer, place: UnderWay, parts: list[int], budget: int | None) -> Way:
    figures: dict[str, Any] = {}

    def backward() -> None:
        with _measured(trainer, budget) as peak:
            window = _dealt(trainer, place.window.rows, parts)
            trainer._tr_loss = torch.zeros((), device=trainer.args.device)
            began = time.perf_counter()
            trainer._accumulate(place.model, window)
            figures["loss"] = float(trainer._tr_loss)
            figures["seconds"] = time.perf_counter() - began
            figures["peak_bytes"] = peak()

    gradient = gradient_of(trainer.model, backward)
    scale = trainer.accelerator.scaler.get_scale() if trainer.accelerator.scaler else 1.0
    figures["norm"] = math.sqrt(sum(float(torch.sum(value.double() ** 2)) for value in gradient.values())) / scale
    return figures, gradient


def _dealt(trainer: AccumulatingTrainer, rows: list[Any], parts: list[int]) -> Window:
    batches, start = [], 0
    for size in parts:
        batches.append(trainer.data_collator(rows[start : start + size]))
        start += size
    counts = [batch.pop(COUNT) for batch in batches]
    return Window(batches, [counts], trainer._weights)


@contextmanager
def _measured(trainer: AccumulatingTrainer, budget: int | None) -> Iterator[Callable[[], int | None]]:
    """Holds a way to what it may take; yields what tells its peak, as far as that can be told."""
    device = trainer.args.device
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        yield lambda: torch.cuda.max_memory_allocated(device)
        return
    held = [*held_by(trainer.model), *tensors_in(trainer.optimizer.state)]
    limits = [budget] if budget else []
    if device.type == "cpu":
        limits.append(available(device) + size_of(held, device))
    with imposed(min(limits, default=None), device, held) as limit:
        yield lambda: limit.peak if isinstance(limit, LiveBytes) else None


@contextmanager
def _undone(trainer: AccumulatingTrainer, place: UnderWay, check: Callable[[], None]) -> Iterator[None]:
    """Inside, the window may be gone through without a word; afterwards all is as it was."""
    model, device = trainer.model, trainer.args.device
    quiet = CallbackHandler([DefaultFlowCallback()], model, None, None, None)
    with ExitStack() as undo:
        # our own copies are not held against the budget, and each way is counted for itself
        undo.enter_context(trainer._unseen())
        undo.callback(RandomState(device).restore)
        undo.callback(_buffers_of(model))
        undo.callback(_gradients_of(model))
        state = trainer.accelerator.gradient_state
        undo.callback(state._set_sync_gradients, state.sync_gradients)
        for name in (
            *("under_way", "phase", "control", "current_gradient_accumulation_steps"),
            *("_index", "_watch", "_weight", "_own_mean", "_tr_loss"),
        ):
            undo.callback(setattr, trainer, name, getattr(trainer, name))
        trainer.control = copy.copy(trainer.control)
        for name, value in (
            ("gate", lambda window: check()),
            ("emit", lambda event: None),
            ("watched", lambda: False),
            ("progress", Progress()),
            ("callback_handler", quiet),
        ):
            undo.enter_context(patch.object(trainer, name, value))
        undo.enter_context(without_dropout(model))
        for module in model.modules():
            # noise on embeddings is drawn at random too
            if hasattr(module, "neftune_noise_alpha"):
                undo.enter_context(patch.object(module, "neftune_noise_alpha", 0.0))
        yield


def _gradients_of(model: torch.nn.Module) -> Callable[[], None]:
    """Takes the gradients away, to the host; what is returned gives them back."""
    kept = [(parameter, parameter.grad) for parameter in model.parameters()]
    aside = [(parameter, None if grad is None else grad.to("cpu")) for parameter, grad in kept]
    del kept
    for parameter, _ in aside:
        parameter.grad = None

    def restore() -> None:
        for parameter, grad in aside:
            parameter.grad = None if grad is None else grad.to(parameter.device)

    return restore


def _buffers_of(model: torch.nn.Module) -> Callable[[], None]:
    """Notes buffers and plain attributes of all modules; what is returned puts them back.

    Batch statistics move in a forward pass, and some positions are reckoned anew for longer rows.
    """
    modules = list(model.modules())
    buffers = [
        (module, name, buffer, buffer.clone())
        for module in modules
        for name, buffer in module._buffers.items()
        if buffer is not None
    ]
    plain = [
        (module, {name: value for name, value in vars(module).items() if isinstance(value, int | float | str | Tensor)})
        for module in modules
    ]

    @torch.no_grad()
    def restore() -> None:
        for module, name, buffer, value in buffers:
            buffer.copy_(value)
            module._buffers[name] = buffer
        for module, values in plain:
            vars(module).update(values)

    return restore
