"""How the gradient of a window is added up, micro-batch by micro-batch, in one process or in several."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from engine.accumulation import IGNORED, Normalization
from engine.errors import RunError
from engine.memory.exhausted import Phase
from engine.trainer.collate import COUNT
from engine.trainer.restoring import RunningStatistics
from engine.trainer.telling import Telling, read
from engine.trainer.watching import Watching
from engine.trainer.windows import Numbered, UnderWay, Window


class Accumulating(Telling, Watching):
    """A window of all processes. Each does as many passes as the one with the most micro-batches."""

    documented: bool
    normalization: Normalization
    gate: Callable[[int], None]
    watched: Callable[[], bool]
    phase: Phase | None
    under_way: UnderWay | None = None
    _weight: float | None = None
    _own_mean: Tensor | None = None
    _window_number: int
    _index: int

    if TYPE_CHECKING:
        control: Any
        callback_handler: Any
        train_dataset: Any
        current_gradient_accumulation_steps: float
        _tr_loss: Tensor

        def _scales_itself(self) -> bool: ...
        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any: ...
        def _get_num_items_in_batch(self, batches: Any, device: Any) -> Any: ...

    def _accumulate(self, model: torch.nn.Module, window: Window) -> list[float | None]:
        """Adds up the gradient of a window; returns each micro-batch's own mean loss, None where it has no target.

        The losses are those of all processes, in the order of the window's `all`.
        """
        of, own = window.passes, len(window.counts)
        told: set[int] = set()
        items = self._items(window)
        # the mean over the processes is taken of what each of them divides by this
        self.current_gradient_accumulation_steps = len(window.all) / self.ranks.size
        losses: list[Tensor | None] = []
        self._watch = None
        for index in range(1, of + 1):
            self.under_way = UnderWay(model, window, index - 1)
            watched = self._let_through()
            began = time.perf_counter()
            self.phase, self._index = "forward", index
            batch: dict[str, Any] = {}
            if index <= own:
                batch, window.batches[index - 1] = window.batches[index - 1], {}
            watches = watched() and index <= own and not self.ranks.sharded
            with self._watched_passes(model, window) if watches else contextlib.nullcontext():
                # a mean over no target is NaN, and MBart even raises: it has nothing to add
                if index <= own and window.counts[index - 1].targets:
                    weight = window.weights[window.index(index - 1)]
                    losses.append(self._backward(model, batch, weight, items, last=index == of))
                else:
                    losses.append(None)
                    self._add_nothing(model, items, last=index == of)
            self.progress.share = index / of
            if watched():
                scale = self._gradient_scale(reduced=index == of)
                values = read(losses[-1:])[0], self._watch_values(model, began, scale)
                for rank, (loss, figures) in enumerate(self.ranks.gather(values)):
                    if index <= len(window.everywhere[rank]):
                        told.add(place := window.index(index - 1, rank))
                        self._report_micro_batch(window, place, loss, **figures)
                if index <= own and not self.ranks.sharded:
                    self._tell_seen(model, window, index, batch)
            elif self.args.device.type == "cpu" and index <= own:
                told.add(place := window.index(index - 1))
                self._report_micro_batch(window, place, read(losses[-1:])[0])
            if index < of:
                self.control = self.callback_handler.on_substep_end(self.args, self.state, self.control)
        self.under_way = None
        # reading a value makes a GPU wait, and asking a process both, so that happens once an update
        found = window.in_order(self.ranks.gather(read(losses)))
        for place, loss in enumerate(found):
            if place not in told:
                self._report_micro_batch(window, place, loss)
        return found

    def _let_through(self) -> Callable[[], bool]:
        """Waits until the next micro-batch may begin, in all processes; returns whether someone watches it."""
        if not self.ranks.several:
            self.gate(self._window_number)
            return self.watched
        watched = self.ranks.led(partial(self.gate, self._window_number), self.watched)
        return lambda: watched

    def _add_nothing(self, model: torch.nn.Module, items: Any, *, last: bool) -> None:
        """Where several processes train, goes through a row that weighs nothing: the others wait in their passes."""
        if not self.ranks.several:
            return
        statistics = RunningStatistics(model)
        self._backward(model, self._any_row(), 0.0, items, last=last)
        statistics.restore()

    def _any_row(self) -> dict[str, Any]:
        """A micro-batch of one row that holds a target."""
        rows = Numbered(getattr(self.train_dataset, "sample", self.train_dataset))
        for place in range(len(rows)):
            batch: dict[str, Any] = self.data_collator([rows[place]])
            if batch.pop(COUNT).targets:
                return batch
        raise RunError("run.no-targets")

    def _backward(
        self, model: torch.nn.Module, batch: dict[str, Any], weight: float, items: Any, *, last: bool
    ) -> Tensor:
        """Adds a share of the gradient; where it is the last of the window, of all processes their mean is taken."""
        self.accelerator.gradient_state._set_sync_gradients(last)
        weight *= self.ranks.size
        self._weight = self._multiplier(weight)
        try:
            with contextlib.nullcontext() if last else self.accelerator.no_sync(model=model):
                added = self.training_step(model, batch, items)
        finally:
            self._weight = None
        self._tr_loss += added
        own_mean, self._own_mean = self._own_mean, None
        if self.documented:
            return added / weight  # type: ignore[no-any-return]
        return added / self.ranks.size if own_mean is None else own_mean

    def _multiplier(self, weight: float) -> float | None:
        """What a loss of this weight is multiplied by; None where it comes as it is to be added."""
        if not weight or not (self.documented or self.normalization == "trainer"):
            return weight
        # the mean over the processes is taken of what comes divided by the items of all
        return float(self.ranks.size) if self.documented and self.ranks.several and self._scales_itself() else None

    def _items(self, window: Window) -> Tensor | None:
        """`num_items_in_batch` for whoever normalises for themselves."""
        if self.normalization == "trainer":
            batches = window.batches
            if not batches:
                row = self._any_row()
                batches = [{"labels": torch.full_like(row["labels"], IGNORED)}]
            items: Tensor | None = self._get_num_items_in_batch(batches, self.args.device)
            return items
        return torch.tensor(window.items, device=self.args.device) if self.documented else None

    def compute_loss(
        self, model: torch.nn.Module, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The model's mean over its own targets; inside a window multiplied by the micro-batch's weight."""
        loss, outputs = super().compute_loss(  # type: ignore[misc]
            model, inputs, return_outputs=True, num_items_in_batch=num_items_in_batch
        )
        if self.phase == "forward":
            self.phase = "backward"
            if self._watch:
                self._watch.forward_ended()
        if self._weight is not None:
            self._own_mean = loss.detach()
            loss = loss * self._weight
        return (loss, outputs) if return_outputs else loss
