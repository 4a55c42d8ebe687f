"""What the trainer does when memory runs out: it says what took it, and goes on with smaller micro-batches if asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from engine.accumulation import WindowOrder
from engine.errors import RunError
from engine.memory.budget import Limit
from engine.memory.exhausted import OutOfMemory, Phase, asked_of, is_out_of_memory, let_go
from engine.memory.release import release
from engine.memory.sampler import capacity
from engine.memory.shares import shares
from engine.ranks import Ranks
from engine.trainer.collate import COUNT, ROWS, WindowCollator
from engine.trainer.restoring import RunningStatistics, UpdateStart, WindowStart
from engine.trainer.windows import Window

Step = tuple[float, float] | None
"""Gradient norm and learning rate of an update; None where the scaler skipped it."""


@dataclass(frozen=True)
class Dealing:
    """How windows are dealt: by so many rows a micro-batch, or by so many `tokens`."""

    micro_batch: int
    tokens: int | None = None


class Fitting:
    """Tries a window until it fits. A window is done again from the same weights, rows and random state."""

    halves: bool
    ranks: Ranks
    redealt: Callable[[Dealing, OutOfMemory], None]
    limit: Limit | None = None
    """What the run may take; None before it is known."""
    phase: Phase | None = "loading"
    torn: bool = False
    """Whether an update was left half done: the weights are no model."""
    _dealing: Dealing | None = None
    _index: int = 0
    _update_start: UpdateStart | None = None

    if TYPE_CHECKING:
        args: Any
        state: Any
        model: Any
        accelerator: Any
        optimizer: Any
        data_collator: Any
        train_dataset: Any
        window_order: WindowOrder
        micro_batch_tokens: int | None
        _train_batch_size: int
        _tr_loss: Tensor
        _own_mean: Tensor | None

        def _weights(self, targets: list[int]) -> list[float]: ...
        def _accumulate(self, model: torch.nn.Module, window: Window) -> list[float | None]: ...
        def _update(self, model: torch.nn.Module, losses: list[float | None]) -> Step: ...

    # ---- windows ----

    def _windows(self, batches: Iterator[list[dict[str, Any]]]) -> Iterator[Window]:
        while (window := self._next(batches)) is not None:
            yield window

    def _next(self, batches: Iterator[list[dict[str, Any]]]) -> Window | None:
        """The next window; None where no process has any rows left."""
        taken = next(batches, None)
        rows = [row for batch in taken or () if ROWS in batch for row in batch.pop(ROWS).rows]
        if taken is not None and self._dealing is not None:
            # the loader knows the plan that it began with
            taken = self._deal(rows)
        return self._window(taken, rows)

    def _window(self, batches: list[dict[str, Any]] | None, rows: list[Any]) -> Window | None:
        own = None if batches is None else [batch.pop(COUNT) for batch in batches]
        found = self.ranks.gather(own)
        if not any(counts is not None for counts in found):
            return None
        return Window(batches or [], [counts or [] for counts in found], self._weights, rank=self.ranks.rank, rows=rows)

    def _deal(self, rows: list[Any]) -> list[dict[str, Any]]:
        assert self._dealing is not None
        return WindowCollator(
            self.data_collator,
            micro_batch=self._dealing.micro_batch,
            order=self.window_order,
            tokens=self._dealing.tokens,
        )(rows)

    # ---- one window ----

    def _done(self, model: torch.nn.Module, window: Window) -> tuple[Window, list[float | None], Step]:
        """Adds up the window's gradient and makes its update; the window comes back as it was dealt in the end.

        A window that is left in its midst leaves no trace in the buffers.

        Raises:
            OutOfMemory: it does not fit. The weights are those after the last update.
            RunError: an update stopped in its midst and could not be undone.
        """
        with self._unseen():
            statistics = RunningStatistics(model)
        try:
            return self._fitted(model, window)
        except BaseException:
            statistics.restore()
            raise

    def _fitted(self, model: torch.nn.Module, window: Window) -> tuple[Window, list[float | None], Step]:
        """Tries the window, and where it doesn't fit smaller micro-batches of it."""
        start = self._start(model) if self.halves else None
        update_failed = False
        while True:
            try:
                losses = self._accumulate(model, window)
                step = self._update(model, losses)
                self.phase, self._update_start = None, None
                return window, losses, step
            except Exception as problem:
                if not is_out_of_memory(problem):
                    raise
                failure = self.out_of_memory(problem, window)
                let_go(problem)
            window.batches.clear()
            in_update = self.phase == "update"
            # some optimizers step in the backward pass already
            possible = start is not None and (in_update or start.holds)
            self._clear(model)
            # what an update needs is the same for every micro-batch: a second failure there is the last
            smaller = self._smaller(window) if possible and not (in_update and update_failed) else None
            if start is None or smaller is None:
                raise failure
            update_failed = in_update
            self._tr_loss = start.restore()
            self._dealing = smaller
            again = self._window(self._deal(window.rows), window.rows)
            assert again is not None
            window = again
            self.redealt(smaller, failure)

    def _start(self, model: torch.nn.Module) -> WindowStart:
        with self._unseen():
            return WindowStart(model, self._tr_loss)

    def _unseen(self) -> AbstractContextManager[None]:
        """Our own copies are not held against the budget."""
        return self.limit.unseen() if self.limit else nullcontext()

    def _clear(self, model: torch.nn.Module) -> None:
        """Takes away all that a window has left; the weights are those after the last update."""
        model.zero_grad()
        self._own_mean = None
        undo, self._update_start = self._update_start, None
        if undo is not None and not undo.restore():
            self.torn = True
            raise RunError("run.half-updated", update=self.state.global_step + 1)
        if scaler := self.accelerator.scaler:
            # else it takes the gradients of the next try for unscaled already
            scaler._per_optimizer_states.clear()
            self.optimizer._accelerate_step_called = False
        del undo
        release()

    def _smaller(self, window: Window) -> Dealing | None:
        """Half of what the largest micro-batch of the window was dealt by; None where that was a row."""
        largest = max(count.examples for count in window.counts)
        tokens = self.micro_batch_tokens if self._dealing is None else self._dealing.tokens
        if largest == 1:
            return None
        if tokens is None:
            return Dealing(math.ceil(largest / 2))
        most = min(tokens, max(count.positions for count in window.counts))
        half = max(most // 2, self._longest(window))
        return Dealing(self._train_batch_size, half) if half < most else None

    def _longest(self, window: Window) -> int:
        """Tokens of the longest row that may come: of all where they are known, else of the window."""
        rows = self.train_dataset if hasattr(self.train_dataset, "__len__") else window.rows
        longest: int = max(sum(self.data_collator.widths(rows[place])) for place in range(len(rows)))
        return longest

    # ---- the update ----

    def _step(self) -> None:
        """The optimizer's step. One that fails is undone by `_clear`.

        Copies are made where they matter and cost little: of the first update, which makes the optimizer's state, and
        under a budget that we count ourselves of each.
        """
        device = self.args.device.type
        first = not self.optimizer.state and device != "cpu"
        counts = self.limit is not None and self.limit.counts
        with self._unseen():
            self._update_start = UpdateStart(self.optimizer, copies=first or counts)
        self.optimizer.step()
        self._update_start = None

    # ---- what is said of it ----

    def out_of_memory(self, problem: BaseException, window: Window | None = None) -> OutOfMemory:
        """What ran out, where, and what took it. Call while the failed step's tensors are still alive."""
        device = self.args.device
        sizes = shares(self.model, self.optimizer, device)
        asked = asked_of(problem)
        taken = asked.taken or None
        if taken is None and device.type == "cuda":
            taken = torch.cuda.memory_allocated(device)
        place: dict[str, Any] = {"update": self.state.global_step + (window is not None)}
        if window is not None and self.phase in ("forward", "backward"):
            # a process that has none left adds nothing, with one row
            rows = window.counts[self._index - 1].examples if self._index <= len(window.counts) else 1
            place |= {"micro_batch": self._index, "of": window.passes, "rows": rows}
        return OutOfMemory(
            problem,
            phase=self.phase,
            **place,
            budget_bytes=asked.budget or (self.limit.bytes if self.limit else capacity(device)),
            imposed=asked.budget is not None or (self.limit is not None and self.limit.imposed),
            **{f"{name}_bytes": size for name, size in sizes.items()},
            activations_bytes=None if taken is None else max(0, taken - sum(sizes.values())),
        )

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        self.phase = "saving"
        super()._save_checkpoint(model, trial)  # type: ignore[misc]
        self.phase = None
