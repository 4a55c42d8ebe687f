"""What a config's window will take, reckoned on fake tensors: no weight is read, no number computed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import Tensor

from engine.config import RunConfig
from engine.errors import ConfigError, reason_of
from engine.memory.account import Account
from engine.memory.fakes import Fakes, fake_conditions
from engine.memory.own_state import OwnState
from engine.memory.rows import Batch, Layout, Rows, with_decoder_inputs
from engine.memory.sharded import of_each_process
from engine.memory.skeleton import Skeleton, experts_of
from engine.memory.window import account_of, ready, run
from engine.models import architecture
from engine.models.freezing import freeze
from engine.models.quiet import quiet
from engine.models.rows_attention import attend_by_rows
from engine.proof.calm import same_random_state
from engine.trainer import AccumulatingTrainer, Progress, training_arguments
from engine.trainer.own_code import own_loss, own_trainer
from engine.trainer.prepare import check_smoothing, try_optimizer

RUN = 2
"""Micro-batches of a window that are run: the second meets the gradients of the first, and all others are like it."""


class Predictor:
    """Reckons windows of one config for a type of `device` (cpu, cuda, mps), wherever it runs itself.

    Raises ConfigError as `engine.trainer.prepare`, as far as that can be told without weights and rows.
    """

    def __init__(self, config: RunConfig, *, cache: Path, device: str = "cpu") -> None:
        self.config = config
        self.device = device
        if config.quantization:
            raise ConfigError("memory.quantized", field="quantization")
        skeleton = Skeleton(config)
        check_smoothing(config, getattr(skeleton.config, "problem_type", None))
        self.fakes = Fakes()
        self.state = OwnState()
        with self._imagined():
            self.model = skeleton.model()
            if config.lora:
                from engine.models.lora import add_lora  # peft takes a second to import

                self.model = add_lora(self.model, config.lora, config.task, skeleton.new_weights(self.model))
            if config.freeze:
                freeze(self.model, config.freeze, config.task)
            if config.packing and device == "cpu":
                attend_by_rows(self.model)
            self.trainer = _trainer(config, self.model, device)
            try_optimizer(self.trainer, config, updates=1)
        self.fakes.experts = experts_of(self.model.config)
        self.fakes.building = False

    def account(self, micro_batch: int, steps: int) -> Account:
        """Of a window of `steps` micro-batches of `micro_batch` rows, as each process takes it."""
        began = time.perf_counter()
        layout = Layout.of(self.config, micro_batch, steps)
        rows = Rows(self.model.config, self.config.task)
        made = [rows.batch(layout) for _ in range(min(layout.steps, RUN))]
        try:
            with self._imagined():
                batches = [(self._imagine(batch), count) for batch, count in made]
                with ready(self.trainer) as model:
                    log = run(self.trainer, model, batches, layout, self.device)
        except Exception as fault:
            # what steers such a model is in the numbers that it computes
            raise ConfigError(
                "memory.cannot-predict",
                field="model",
                architecture=architecture(self.model),
                reason=f"{type(fault).__name__}: {reason_of(fault)}",
            ) from fault
        seconds = time.perf_counter() - began
        account = account_of(log, self.model, layout, device=self.device, measured=False, seconds=seconds)
        return of_each_process(account, self.config, self.model)

    @contextmanager
    def _imagined(self) -> Iterator[None]:
        with same_random_state(), quiet(), self.state.entered(), fake_conditions(self.device), self.fakes:
            yield

    def _imagine(self, batch: Batch) -> Batch:
        found = {name: self.fakes.known(value) if isinstance(value, Tensor) else value for name, value in batch.items()}
        return with_decoder_inputs(found, self.model, self.config.task)


def predict(config: RunConfig, *, cache: Path, device: str = "cpu") -> Account:
    """The window of the config's own plan. Raises ConfigError as `Predictor`."""
    return Predictor(config, cache=cache, device=device).account(config.micro_batch, config.accumulation_steps)


def _trainer(config: RunConfig, model: Any, device: str) -> AccumulatingTrainer:
    """The run's own trainer around a model of fakes, which lie on a CPU whatever `device` they stand for."""
    training = {**config.training, "use_cpu": True, "torch_compile": False, "eval_strategy": "no"}
    if device != "cpu" and training.pop("fp16", False):
        # accelerate refuses fp16 on a CPU; half precision is as large in both
        training["bf16"] = True
    loss = own_loss(config.loss) if config.loss else None
    kind = own_trainer(config.trainer) if config.trainer else AccumulatingTrainer
    with tempfile.TemporaryDirectory() as folder:
        trainer = kind(
            run=0,
            emit=lambda event: None,
            progress=Progress(),
            normalization=config.loss_normalization,
            model=model,
            args=training_arguments(config.model_copy(update={"training": training}), Path(folder)),
            train_dataset=[{}],
            compute_loss_func=loss.call if loss else None,
        )
    if loss and not loss.normalised:
        trainer.loss_is_scaled_for_ga = False
    return trainer
