"""What is measured of a window while someone watches it micro-batch by micro-batch; nothing of it is done otherwise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import psutil
import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from engine.events import Event, MicroBatchSeen, WindowSeen
from engine.memory.sampler import MemoryReader
from engine.ranks import Ranks
from engine.trainer.coordinates import Coordinates, cosines
from engine.trainer.layers import Layers
from engine.trainer.norms import norm_of
from engine.trainer.progress import Progress
from engine.trainer.read_back import ReadBack
from engine.trainer.windows import Window

ROOM = 2**30
"""Bytes that the copies of a window's gradients may take on the host."""


class Watch:
    """One window that is watched. It reads: weights, gradients and random state are what they would be without it."""

    def __init__(self, model: torch.nn.Module, of: int, *, scale: float, reader: MemoryReader, room: int) -> None:
        named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
        self._parameters = [parameter for _, parameter in named]
        self._layers = Layers([name for name, _ in named])
        # beside the gradients the weights before the update
        self._coordinates = Coordinates(self._parameters, copies=of + 1, room=room)
        self._kept: list[Tensor | None] = [None] * of
        self._scale = scale
        self._reader = reader
        self._device = self._parameters[0].device
        self._before: Tensor | None = None
        self._forward: tuple[float, int] | None = None
        self._passes: dict[str, Any] = {}
        self._squares: list[Tensor] = []
        self._own: float | None = None
        self._clipped = 1.0
        self._update_norm = 0.0
        self._zeroed = False

    # ---- one micro-batch ----

    @contextmanager
    def passes(self, unseen: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Around a forward and a backward pass. `unseen`: inside it nothing is held against a budget."""

        def note(gradient: Tensor) -> None:
            with unseen():
                self._squares.append(norm_of(gradient) ** 2)

        self._forward = None
        with ExitStack() as undo:
            for parameter in self._parameters:
                # what comes in here is this micro-batch's whole share, before it is added
                undo.callback(parameter.register_hook(note).remove)  # type: ignore[no-untyped-call]
            began = self._now()
            yield
            ended = self._now()
        if self._forward:
            split, taken = self._forward
            self._passes = {
                "forward_seconds": split - began,
                "backward_seconds": ended - split,
                "forward_bytes": taken,
                "backward_bytes": self._reader.read().main,
            }
        self._own = math.sqrt(float(torch.stack(self._squares).sum())) / self._scale if self._squares else 0.0
        self._squares = []

    def forward_ended(self) -> None:
        self._forward = (self._now(), self._reader.read().main)

    def seen(self, index: int, *, idle: bool, scale: float) -> dict[str, Any]:
        """The figures of micro-batch `index` (from 1), which is done; `idle`: it had nothing to add.

        `scale`: what the gradients as they are now are multiplied by. Where watching began in its midst its passes are
        unknown.
        """
        gradients = [parameter.grad for parameter in self._parameters]
        self._kept[index - 1] = self._coordinates.take(gradients)
        norms = self._norms(gradients, scale)
        total = math.sqrt(sum(norm**2 for norm in norms))
        own = 0.0 if idle else total if index == 1 and scale == self._scale else self._own
        unknown = dict.fromkeys(("forward_seconds", "backward_seconds", "forward_bytes", "backward_bytes"))
        passes = {**unknown, **self._passes}
        self._passes, self._own = {}, None
        return {**passes, "norm": total, "own_norm": own, "layers": self._layers.norms(norms)}

    def _norms(self, gradients: list[Tensor | None], scale: float) -> list[float]:
        found = [
            torch.zeros((), device=self._device) if gradient is None else norm_of(gradient).to(self._device)
            for gradient in gradients
        ]
        return [norm / scale for norm in torch.stack(found).tolist()]

    def _now(self) -> float:
        if self._device.type != "cpu":
            torch.get_device_module(self._device).synchronize()
        return time.perf_counter()

    # ---- its update ----

    @property
    def whole(self) -> bool:
        """Whether the window was watched to its end."""
        return self._kept[-1] is not None

    def before_step(self, norm: float | None) -> None:
        """`norm` is the gradient's before clipping, None where none is done."""
        if norm:
            after = torch.nn.utils.get_total_norm([each.grad for each in self._parameters if each.grad is not None])
            share = float(after) / norm
            self._clipped = share if abs(share - 1.0) > 1e-6 else 1.0
        self._before = self._coordinates.take(self._parameters)

    def after_step(self) -> None:
        assert self._before is not None
        self._update_norm = self._coordinates.apart(self._before, self._parameters)
        self._before = None

    def after_zeroing(self) -> None:
        self._zeroed = not any(each.grad is not None and bool(each.grad.any()) for each in self._parameters)

    def end(self) -> dict[str, Any]:
        """The figures of the window, after its update."""
        final = self._kept[-1]
        assert final is not None
        found = iter(cosines([kept for kept in self._kept if kept is not None], final))
        towards = [None if kept is None else next(found) for kept in self._kept]
        # of a vector with itself, but for rounding
        last = None if towards[-1] is None else 1.0
        return {
            "cosines": [*towards[:-1], last],
            "exact": self._coordinates.exact,
            "clipped": self._clipped,
            "update_norm": self._update_norm,
            "zeroed": self._zeroed,
        }


class Watching:
    """Keeps a watch of each window for as long as someone watches, and tells what it sees."""

    run: int
    emit: Callable[[Event], None]
    read_back: ReadBack | None = None
    """Puts the rows of a micro-batch in words."""
    _watch: Watch | None = None
    _reader: MemoryReader | None = None

    if TYPE_CHECKING:
        state: Any
        args: Any
        accelerator: Any
        data_collator: Any
        ranks: Ranks

        progress: Progress

        def _unseen(self) -> AbstractContextManager[None]: ...

    @contextmanager
    def _measuring(self) -> Iterator[None]:
        """What is done inside is no training: it is held neither against a budget nor against the clock."""
        with self._unseen(), self.progress.clock.resting():
            yield

    def _watch_of(self, model: torch.nn.Module, window: Window) -> Watch:
        """The watch of the window under way; begins it."""
        if self._watch is None:
            self._reader = self._reader or MemoryReader(self.args.device)
            scale = self._gradient_scale()
            room = min(ROOM, psutil.virtual_memory().available // 4)
            with self._unseen():
                own = model.module if isinstance(model, DistributedDataParallel) else model
                self._watch = Watch(own, len(window.counts), scale=scale, reader=self._reader, room=room)
        return self._watch

    def _gradient_scale(self, *, reduced: bool = False) -> float:
        """What gradients are multiplied by: the scaler's factor, and by the number of processes until their mean is
        taken (`reduced`)."""
        scale: float = self.accelerator.scaler.get_scale() if self.accelerator.scaler else 1.0
        return scale if reduced else scale * self.ranks.size

    def _watched_passes(self, model: torch.nn.Module, window: Window) -> AbstractContextManager[None]:
        return self._watch_of(model, window).passes(self._unseen)

    @contextmanager
    def _watched_step(self, norm: float | None) -> Iterator[None]:
        """Around the optimizer's step; `norm` as in `Watch.before_step`."""
        watch = self._watch if self._watch and self._watch.whole else None
        if watch:
            with self._measuring():
                watch.before_step(norm)
        yield
        if watch:
            with self._measuring():
                watch.after_step()

    def _watch_zeroing(self) -> None:
        if self._watch and self._watch.whole:
            with self._measuring():
                self._watch.after_zeroing()

    def _tell_seen(self, model: torch.nn.Module, window: Window, index: int, batch: Mapping[str, Any]) -> None:
        count = window.counts[index - 1]
        rows: list[dict[str, Any]] = []
        more = count.examples
        with self._measuring():
            watch = self._watch_of(model, window)
            figures = watch.seen(
                index, idle=not count.targets, scale=self._gradient_scale(reduced=index == window.passes)
            )
            # a Trainer of the user's own may take something out of its batches
            if self.read_back and "input_ids" in batch and "labels" in batch:
                rows, more = self.read_back(batch, shifts=self.data_collator.shifts)
        self.emit(
            MicroBatchSeen(
                run=self.run,
                update=self.state.global_step + 1,
                index=window.index(index - 1) + 1,
                of=len(window.all),
                rows=rows,
                more=more,
                **figures,
            )
        )

    def _tell_window_seen(self, norm: float, learning_rate: float) -> None:
        watch, self._watch = self._watch, None
        if watch is None or not watch.whole:
            return
        with self._measuring():
            figures = watch.end()
        self.emit(
            WindowSeen(run=self.run, update=self.state.global_step, norm=norm, learning_rate=learning_rate, **figures)
        )
