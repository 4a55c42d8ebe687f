"""A trainer that is ready for its first forward pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.accumulation import Plan
from engine.config import RunConfig
from engine.models import Loaded
from engine.tasks import Encoded, OnDemand, Task
from engine.trainer.streams import Stream
from engine.trainer.trainer import AccumulatingTrainer


@dataclass
class Prepared:
    """A trainer and what it was made of.

    `collate` pads rows; the trainer's own collator counts besides, and packs where the config says so. `notices`:
    codes of `errors.WORDING` with the values of their words.
    """

    config: RunConfig
    trainer: AccumulatingTrainer
    loaded: Loaded
    task: Task
    train: Encoded | OnDemand | Stream
    evaluation: Encoded | OnDemand
    plan: Plan
    collate: Callable[[list[Any]], dict[str, Any]]
    shifts: bool = False
    notices: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether any way of dealing a window gives the same update."""
        trainer = self.trainer
        return self.config.loss_normalization == "exact" and (not trainer.documented or trainer._scales_itself())
