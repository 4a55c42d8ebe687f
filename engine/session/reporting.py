"""A run's values told to TensorBoard, Weights & Biases or Trackio, by the names that `transformers.Trainer` uses.

Each of them hears plain numbers. One that fails is left out from there on, and the run goes on.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.errors import reason_of
from engine.events import EvaluationDone, Event, UpdateDone

PROJECT = "birikim"

Values = dict[str, float]


class Reporter(ABC):
    """One place that values go to. `folder` is the run's, `config` plain values."""

    name: str

    def __init__(self, run: int, folder: Path, config: Mapping[str, Any]) -> None:
        self.run = run
        self.folder = folder
        self.config = dict(config)

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def log(self, values: Values, update: int) -> None: ...

    @abstractmethod
    def end(self) -> None: ...


class TensorBoard(Reporter):
    """Writes event files to `tensorboard/` in the run's folder."""

    name = "tensorboard"

    def begin(self) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(log_dir=str(self.folder / "tensorboard"))
        self._writer.add_text("config", f"```\n{self.config}\n```")

    def log(self, values: Values, update: int) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, update)
        self._writer.flush()

    def end(self) -> None:
        self._writer.close()


class WeightsAndBiases(Reporter):
    """Sends to wandb's server; without a key it is kept in `wandb/` of the run's folder, for `wandb sync`.

    wandb would ask for a key on the terminal, and the training would wait for the answer.
    """

    name = "wandb"

    def begin(self) -> None:
        self._wandb = import_module("wandb")
        mode = os.environ.get("WANDB_MODE") or (None if self._wandb.api.api_key else "offline")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._run = self._wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=f"run-{self.run}",
            dir=str(self.folder),
            config=self.config,
            mode=mode,
        )

    def log(self, values: Values, update: int) -> None:
        self._run.log({**values, "train/global_step": update})

    def end(self) -> None:
        self._run.finish()


class Trackio(Reporter):
    """Keeps values where trackio keeps them, in a folder of its own; `trackio show` opens them."""

    name = "trackio"

    def begin(self) -> None:
        self._trackio = import_module("trackio")
        self._trackio.init(project=PROJECT, name=f"run-{self.run}", config=self.config, resume="allow")

    def log(self, values: Values, update: int) -> None:
        self._trackio.log({**values, "train/global_step": update})

    def end(self) -> None:
        self._trackio.finish()


KINDS: dict[str, type[Reporter]] = {kind.name: kind for kind in (TensorBoard, WeightsAndBiases, Trackio)}


class Reporting:
    """All reporters of a run, which is itself a listener: they begin with the first value and end with `end`.

    `failed` hears the name of one that fails, and why.
    """

    def __init__(
        self, names: Sequence[str], *, run: int, folder: Path, config: Mapping[str, Any],
        failed: Callable[[str, str], None],
    ) -> None:  # fmt: skip
        self._waiting = [KINDS[name](run, folder, config) for name in names]
        self._going: list[Reporter] = []
        self._failed = failed

    def hear(self, event: Event) -> None:
        match event:
            case UpdateDone():
                found = {
                    "train/loss": event.loss,
                    "train/grad_norm": event.grad_norm,
                    "train/learning_rate": event.learning_rate,
                    "train/epoch": event.epoch,
                    "train/examples": event.examples,
                    "train/targets": event.targets,
                }
            case EvaluationDone():
                found = {
                    "eval/loss": event.loss,
                    **{f"eval/{name}": value for name, value in event.metrics.items()},
                }
            case _:
                return
        values = {name: float(value) for name, value in found.items() if value is not None and math.isfinite(value)}
        waiting, self._waiting = self._waiting, []
        self._going += self._each(waiting, lambda reporter: reporter.begin())
        update = event.update
        self._going = self._each(self._going, lambda reporter: reporter.log(values, update))

    def end(self) -> None:
        """Once all is told. Idempotent."""
        going, self._going, self._waiting = self._going, [], []
        self._each(going, lambda reporter: reporter.end())

    def _each(self, reporters: list[Reporter], do: Callable[[Reporter], None]) -> list[Reporter]:
        """Those of `reporters` that did it."""
        kept = []
        for reporter in reporters:
            try:
                do(reporter)
                kept.append(reporter)
            except Exception as problem:
                self._failed(reporter.name, f"{type(problem).__name__}: {reason_of(problem)}")
        return kept
