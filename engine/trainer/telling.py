"""What the trainer says of micro-batches and updates."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from engine.accumulation import window_loss
from engine.events import Event, MicroBatchDone, UpdateDone
from engine.ranks import Ranks
from engine.trainer.norms import total_norm
from engine.trainer.progress import Progress
from engine.trainer.windows import Window


class Telling:
    """The events of a window."""

    run: int
    emit: Callable[[Event], None]
    progress: Progress
    memory_peak: Callable[[], int | None]

    ranks: Ranks

    if TYPE_CHECKING:
        state: Any

    def _watch_values(self, model: torch.nn.Module, began: float, scale: float) -> dict[str, float]:
        """`scale`: what the gradients are multiplied by."""
        if self.ranks.sharded:
            return {"seconds": time.perf_counter() - began}
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        return {"seconds": time.perf_counter() - began, "grad_norm": total_norm(gradients) / scale}

    def _report_micro_batch(self, window: Window, place: int, loss: float | None, **watched: float) -> None:
        """Tells of the micro-batch at `place` (from 0) among those of all processes."""
        count = window.all[place]
        self.emit(
            MicroBatchDone(
                run=self.run,
                update=self.state.global_step + 1,
                index=place + 1,
                of=len(window.all),
                loss=loss if loss is not None and math.isfinite(loss) else None,
                weight=window.weights[place],
                targets=count.targets,
                examples=count.examples,
                **watched,
            )
        )

    def _report(
        self, window: Window, losses: list[float | None], grad_norm: float, learning_rate: float, began: float
    ) -> None:
        progress = self.progress
        progress.updates, progress.share = self.state.global_step, 0.0
        progress.examples += window.examples
        progress.targets += window.targets
        progress.tokens = None if progress.tokens is None else progress.tokens + window.tokens
        now = progress.clock.seconds
        self.emit(
            UpdateDone(
                run=self.run,
                update=progress.updates,
                epoch=self.state.epoch,
                loss=window_loss([math.nan if loss is None else loss for loss in losses], window.weights),
                grad_norm=grad_norm if math.isfinite(grad_norm) else None,
                learning_rate=learning_rate,
                examples=window.examples,
                targets=window.targets,
                micro_batches=len(window.all),
                padding=window.padding,
                duration=now - began,
                seconds=now,
                total_examples=progress.examples,
                total_targets=progress.targets,
                memory=self.memory_peak(),
                total_tokens=progress.tokens,
            )
        )


def read(losses: list[Tensor | None]) -> list[float | None]:
    """The values of losses on a device, in one transfer."""
    present = [loss for loss in losses if loss is not None]
    values = iter(torch.stack(present).tolist() if present else [])
    return [None if loss is None else next(values) for loss in losses]
