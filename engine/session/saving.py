"""The model that a run leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.trainer import AccumulatingTrainer
from engine.trainer.sharding import whole


def save_model(trainer: AccumulatingTrainer, folder: Path, *, lora: bool, write_card: Callable[[Path], None]) -> None:
    """Leaves `model/` in `folder`, which `from_pretrained` loads; a save that is cut off leaves no half of it.

    Called by all processes of a run; the leader writes.
    """
    partial, model = folder / "model.partial", folder / "model"
    if trainer.optimizer is not None and hasattr(trainer.optimizer, "eval"):
        trainer.optimizer.eval()  # a schedule-free one trains other weights than those that it ends with
    saved = trainer.accelerator.unwrap_model(trainer.model)
    weights: dict[str, Any] | None = None
    if trainer.ranks.sharded:
        weights = {name: whole(value, keep=trainer.ranks.leads) for name, value in saved.state_dict().items()}
    if not trainer.ranks.leads:
        return
    shutil.rmtree(partial, ignore_errors=True)
    if lora:
        from engine.models.lora import take_apart

        saved = take_apart(saved, partial / "adapter")
    saved.save_pretrained(partial, state_dict=weights)
    trainer.processing_class.save_pretrained(partial)
    write_card(partial)
    shutil.rmtree(model, ignore_errors=True)
    partial.rename(model)
