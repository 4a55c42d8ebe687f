"""A run of any task, prepared as a session prepares it, and the large batch that it is held against."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from engine import datasets
from engine.config import DataConfig, RunConfig
from engine.datasets import Rows, load
from engine.events import Event
from engine.ranks import Ranks
from engine.trainer import Progress
from engine.trainer.prepare import prepare
from engine.trainer.prepared import Prepared
from engine.trainer.windows import Numbered
from tests.engine.tiny import PLAIN_SGD, Recorder, gradient

FEW = 150
"""Rows are enough to train a tokenizer that knows their words, and to choose from."""


@cache
def few_rows(data: DataConfig, task: str) -> Rows:
    rows = load(data, task, seed=42, cache=Path("/nowhere"))
    return replace(rows, train=rows.train[:FEW])


class TaskRun:
    """One pass of plain SGD over the first `rows` encoded rows, in their order."""

    def __init__(
        self,
        model: str,
        task: str,
        data: dict[str, Any],
        folder: Path,
        *,
        rows: int = 8,
        micro_batch: int = 2,
        steps: int = 4,
        training: dict[str, Any] | None = None,
        ranks: Ranks | None = None,
        **keys: Any,
    ) -> None:
        self.events: list[Event] = []
        config = RunConfig.from_dict(
            {
                "model": model,
                "task": task,
                "data": {"max_length": 48, "eval_rows": 10, **data},
                "training": {
                    "per_device_train_batch_size": micro_batch,
                    "gradient_accumulation_steps": steps,
                    **PLAIN_SGD,
                    **(training or {}),
                },
                **keys,
            }
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(datasets, "load", lambda data, task, **_: few_rows(data, task))
            self.prepared: Prepared = prepare(
                config, cache=folder, folder=folder, run=1, emit=self.events.append, progress=Progress(), ranks=ranks
            )
        self.trainer = self.prepared.trainer
        self.trainer.train_dataset = self.prepared.train[:rows]
        for module in self.model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        self.recorder = Recorder()
        self.trainer.add_callback(self.recorder)

    @property
    def model(self) -> Any:
        return self.prepared.loaded.model

    def batch(self, start: int = 0, stop: int | None = None, epoch: int = 0) -> dict[str, torch.Tensor]:
        """Rows `start` to `stop` as one batch, as the run's own collator makes it."""
        rows = self.trainer.train_dataset
        places = range(len(rows))[start:stop]
        found: dict[str, torch.Tensor] = self.trainer.data_collator.collate(
            [Numbered(rows)[(epoch, place)] for place in places]
        )
        return found

    def own_gradient(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Of the model's own mean loss over one batch, in train mode."""
        self.model.train()
        self.model.zero_grad()
        self.model(**batch).loss.backward()
        found = gradient(self.model)
        self.model.zero_grad()
        return found

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]
