"""A model whose weights lie in parts, one on each process, as FSDP 2 lays them out.

What is written to a disk is whole, as one process would write it: a run may go on in any number of processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin
from torch import Tensor
from torch.distributed.tensor import DTensor, distribute_tensor

from engine.errors import RunError, reason_of
from engine.ranks import Ranks

OPTIMIZER, SCHEDULE = "optimizer.pt", "scheduler.pt"
"""Where the Trainer looks for them."""


class Sharding:
    """Replaces what the Trainer does with a sharded model; of any other it changes nothing."""

    ranks: Ranks

    if TYPE_CHECKING:
        args: Any
        accelerator: Any
        model: Any
        optimizer: Any
        lr_scheduler: Any
        is_fsdp_enabled: bool

        def _digest(self) -> None: ...

    def create_accelerator_and_postprocess(self) -> None:
        super().create_accelerator_and_postprocess()  # type: ignore[misc]
        if self.accelerator.ddp_handler is not None:
            # else what is sent lies in memory beside the gradients, as much again
            self.accelerator.ddp_handler.gradient_as_bucket_view = True
        if self.ranks.sharded and not self.is_fsdp_enabled:
            # on a CPU accelerate leaves it out, where torch has it
            self.accelerator.state.fsdp_plugin = FullyShardedDataParallelPlugin()
            self.accelerator.state.distributed_type = DistributedType.FSDP
            self.is_fsdp_enabled = True

    def _prepare_for_training(self, *given: Any, **named: Any) -> Any:
        """As the Trainer's. Raises RunError for a model that can't be laid out."""
        if not self.ranks.sharded:
            return super()._prepare_for_training(*given, **named)  # type: ignore[misc]
        self._digest()  # while the frozen weights are whole
        plugin = self.accelerator.state.fsdp_plugin
        if not plugin.transformer_cls_names_to_wrap:
            plugin.transformer_cls_names_to_wrap = blocks(self.model) or None
        try:
            return super()._prepare_for_training(*given, **named)  # type: ignore[misc]
        except (TypeError, ValueError) as problem:
            name = type(self.model).__name__
            raise RunError("launch.no-layout", name=name, problem=reason_of(problem)) from problem

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        if not self.ranks.sharded:
            super()._save_optimizer_and_scheduler(output_dir)  # type: ignore[misc]
            return
        torch.save(self._whole_optimizer, Path(output_dir) / OPTIMIZER)
        torch.save(self.lr_scheduler.state_dict(), Path(output_dir) / SCHEDULE)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        if not self.ranks.sharded or checkpoint is None:
            super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[misc]
            return
        saved = torch.load(Path(checkpoint) / OPTIMIZER, map_location="cpu", weights_only=True)
        parameters = [each for group in self.optimizer.param_groups for each in group["params"]]
        for place, state in saved["state"].items():
            saved["state"][place] = {name: laid_out(value, parameters[place]) for name, value in state.items()}
        self.optimizer.load_state_dict(saved)
        self.lr_scheduler.load_state_dict(torch.load(Path(checkpoint) / SCHEDULE, weights_only=True))

    def _gather_optimizer(self) -> None:
        """Brings the parts of the optimizer's state together; the leader keeps them until they are written."""
        state = self.optimizer.state_dict()
        gathered = {
            place: {name: whole(value, keep=self.ranks.leads) for name, value in values.items()}
            for place, values in state["state"].items()
        }
        self._whole_optimizer = {**state, "state": gathered} if self.ranks.leads else None

    _whole_optimizer: dict[str, Any] | None = None


def blocks(model: Any) -> list[str]:
    """The classes of its blocks: of what is not to be torn apart, all but what holds the embedding of the input.

    accelerate lays out that embedding for itself, and nothing can be laid out twice.
    """
    embedding = model.get_input_embeddings()
    names = set(getattr(model, "_no_split_modules", None) or ())
    around = {
        type(module).__name__ for module in model.modules() if any(part is embedding for part in module.modules())
    }
    return sorted(names - around)


def whole(value: Any, *, keep: bool = True) -> Any:
    """A tensor with all its parts, on the host; all processes ask together. None without `keep`."""
    if not isinstance(value, Tensor):
        return value
    full: Tensor = value.full_tensor() if isinstance(value, DTensor) else value
    return full.detach().cpu() if keep else None


def laid_out(value: Any, like: Tensor) -> Any:
    """A whole tensor in the parts of `like`, where it is of that shape."""
    if isinstance(value, Tensor) and isinstance(like, DTensor) and value.shape == like.shape:
        return distribute_tensor(value.to(like.device), like.device_mesh, like.placements)
    return value
