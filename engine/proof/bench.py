"""One window of the user's own run, ready to be gone through in several ways."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import IntervalStrategy, SaveStrategy

from engine.accumulation import Normalization, WindowOrder, count_targets
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.events import Event
from engine.memory.budget import imposed, limit_of_one_window
from engine.memory.shares import held_by
from engine.proof.calm import Fp64Throughout, same_random_state, without_dropout
from engine.proof.causes import rows_apart
from engine.proof.gradients import Gradient, gradient_of
from engine.proof.ways import accumulate, accumulate_as_stock
from engine.trainer import COUNT, AccumulatingTrainer, Prepared, Progress, Stage, Window, WindowCollator, prepare
from engine.trainer.streams import Stream

Precision = Literal["fp32", "fp64"]
Rows = list[dict[str, Any]]


class Bench:
    """The model, the rows of the first window and the losses of a config, in train mode without dropout.

    Every way returns the window's loss and its gradient, and leaves the model without gradients. `rows` are those of
    the first window of the run's first pass. A way that takes more than the config's `memory_budget`, or on a CPU more
    than is free, raises torch.OutOfMemoryError.
    """

    def __init__(self, prepared: Prepared, precision: Precision) -> None:
        self.prepared = prepared
        self.trainer = prepared.trainer
        self.model: torch.nn.Module = prepared.trainer.model
        self.precision = precision
        [self.rows] = first_windows(prepared.trainer, 1)

    @classmethod
    @contextmanager
    def of(
        cls,
        config: RunConfig,
        *,
        cache: Path,
        folder: Path,
        precision: Precision = "fp32",
        enter: Callable[[Stage], None] = lambda stage: None,
        check: Callable[[], None] = lambda: None,
        emit: Callable[[Event], None] = lambda event: None,
    ) -> Iterator[Bench]:
        """Loads what `config` names. Afterwards the random state is as before.

        Raises ConfigError as `engine.trainer.prepare`.
        """
        if precision == "fp64" and config.quantization:
            raise ConfigError("proof.quantized", field="quantization")
        with same_random_state(), ExitStack() as undo:
            prepared = prepare(
                full_precision(config), cache=cache, folder=folder, enter=enter, check=check, run=0, emit=emit,
                progress=Progress(),
            )  # fmt: skip
            if precision == "fp64":
                prepared.trainer.model.double()
                undo.enter_context(Fp64Throughout())
            undo.enter_context(without_dropout(prepared.trainer.model))
            if prepared.trainer.args.activation_checkpointing:
                prepared.trainer.model.activation_checkpointing_enable()
            bench = cls(prepared, precision)
            before = bench.fingerprint()
            yield bench
            # an invariant of ours: a proof that had trained would prove another model
            assert bench.fingerprint() == before

    def fingerprint(self) -> str:
        """A hash of every weight and buffer, bit by bit."""
        digest = hashlib.sha256()
        for name, value in [*self.model.named_parameters(), *self.model.named_buffers()]:
            digest.update(name.encode())
            digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    @property
    def targets(self) -> int:
        """Targets of the window."""
        return self.targets_of(self.rows)

    def targets_of(self, rows: Rows) -> int:
        """Targets of any rows of the config's data."""
        return sum(count_targets(self._padded([row]), shifts=self.prepared.shifts) for row in rows)

    # ---- the ways ----

    def loss(self) -> float:
        """The model's own mean on the large batch, without a gradient."""
        with torch.no_grad():
            return float(self._own_loss(self._padded(self.rows)))

    def rows_apart(self, rows: int) -> float:
        """How far the outputs of the first `rows` move when the others join their batch, relative."""
        whole = self.trainer._prepare_inputs(self._padded(self.rows))
        return rows_apart(self.model, {name: value[:rows] for name, value in whole.items()}, whole)

    def own_mean(self) -> tuple[float, Gradient]:
        """The model's own mean over the targets of one large batch; a label smoother's, where that is the loss."""
        batch = self._padded(self.rows)
        return self._way(lambda: self._backward(self._own_loss(batch)))

    def gradient_of_mean(self, rows: Rows) -> Gradient:
        """The gradient of the model's own mean over the targets of any rows."""
        batch = self._padded(rows)
        return self._way(lambda: self._backward(self._own_loss(batch)))[1]

    def own_mean_row_by_row(self) -> tuple[float, Gradient]:
        """The same mean from the smallest micro-batches, for a large batch that does not fit."""
        batches = [self._padded([row]) for row in self.rows]
        targets = [count_targets(batch, shifts=self.prepared.shifts) for batch in batches]
        return self._way(lambda: accumulate(self._own_loss, batches, targets))

    def large_batch(self) -> tuple[float, Gradient]:
        """One micro-batch of all rows, by the loss that the run uses."""
        return self.accumulated(len(self.rows), 1, order="random", tokens=None)

    def accumulated(
        self,
        micro_batch: int,
        steps: int,
        *,
        normalization: Normalization | None = None,
        order: WindowOrder | None = None,
        tokens: int | None = None,
        equal_width: bool = False,
    ) -> tuple[float, Gradient]:
        """What a run adds up before its update: the trainer's own loop over the window's micro-batches.

        With `equal_width` the rows as they come, each micro-batch padded as far as the large batch is.
        """
        trainer = self.trainer
        deal = WindowCollator(
            trainer.data_collator, micro_batch=micro_batch, order=order or trainer.window_order, tokens=tokens
        )
        with self._normalised(normalization):
            batches = self._slices(micro_batch) if equal_width else deal(self.rows[: micro_batch * steps])
            counts = [batch.pop(COUNT) for batch in batches]
            window = Window(batches, [counts], trainer._weights)

            def backward() -> float:
                trainer._tr_loss = torch.zeros((), device=trainer.args.device)
                trainer._accumulate(self.model, window)
                return float(trainer._tr_loss)

            return self._way(backward)

    def stock(self, micro_batch: int) -> tuple[float, Gradient]:
        """What `transformers.Trainer` adds up, with the rows as they come."""
        rows = [self.rows[start : start + micro_batch] for start in range(0, len(self.rows), micro_batch)]
        batches = [self._padded(part) for part in rows]
        stock = self._stock_trainer(len(batches))
        return self._way(lambda: accumulate_as_stock(stock, batches))

    # ---- parts ----

    def _way(self, backward: Callable[[], float]) -> tuple[float, Gradient]:
        losses: list[float] = []
        # batch statistics move in train mode
        before = [buffer.detach().clone() for buffer in self.model.buffers()]
        try:
            found = gradient_of(self.model, lambda: losses.append(self._bounded(backward)))
        finally:
            for buffer, value in zip(self.model.buffers(), before, strict=True):
                buffer.copy_(value)
        return losses[0], found

    def _bounded(self, backward: Callable[[], float]) -> float:
        device = self.trainer.args.device
        limit = limit_of_one_window(self.prepared.config, device)
        with imposed(limit, device, held_by(self.model)):
            return backward()

    def _own_loss(self, batch: dict[str, Any]) -> torch.Tensor:
        inputs = self.trainer._prepare_inputs(dict(batch))
        if self.trainer.label_smoother is not None and not self.trainer.documented:
            smoothed: torch.Tensor = Trainer.compute_loss(self.trainer, self.model, inputs)
            return smoothed
        loss: torch.Tensor = self.model(**inputs).loss
        return loss

    @staticmethod
    def _backward(loss: torch.Tensor) -> float:
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def _slices(self, micro_batch: int) -> list[dict[str, Any]]:
        whole = self._padded(self.rows)
        rows = range(0, len(self.rows), micro_batch)
        parts = [{name: value[start : start + micro_batch] for name, value in whole.items()} for start in rows]
        counts = [self.trainer.data_collator(self.rows[start : start + micro_batch])[COUNT] for start in rows]
        return [{**part, COUNT: count} for part, count in zip(parts, counts, strict=True)]

    def _padded(self, rows: Rows) -> dict[str, Any]:
        return dict(self.prepared.collate(rows))

    @contextmanager
    def _normalised(self, normalization: Normalization | None) -> Iterator[None]:
        trainer = self.trainer
        before = trainer.normalization
        if normalization is not None and not trainer.documented:
            trainer.normalization = normalization
        try:
            yield
        finally:
            trainer.normalization = before

    def _stock_trainer(self, steps: int) -> Trainer:
        ours: AccumulatingTrainer = self.trainer
        arguments: TrainingArguments = replace(
            ours.args,
            gradient_accumulation_steps=steps,
            # it only adds up: rows to evaluate on would be asked for and never read
            eval_strategy=IntervalStrategy.NO,
            save_strategy=SaveStrategy.NO,
            load_best_model_at_end=False,
        )
        arguments._n_gpu = ours.args.n_gpu
        order = type(ours).__mro__
        theirs = order[order.index(AccumulatingTrainer) + 1 :]
        kind = next(cls for cls in theirs if issubclass(cls, Trainer))
        return kind(
            model=self.model,
            args=arguments,
            data_collator=self.prepared.collate,
            train_dataset=self.prepared.train,
            processing_class=self.prepared.loaded.tokenizer,
            compute_loss_func=ours.compute_loss_func,
        )


def full_precision(config: RunConfig) -> RunConfig:
    """The same run in fp32: a gradient in bf16 is off by more than what a proof looks for."""
    training = {key: value for key, value in config.training.items() if not key.startswith(("bf16", "fp16", "tf32"))}
    return config.model_copy(update={"training": training})


def first_windows(trainer: AccumulatingTrainer, number: int) -> list[Rows]:
    """The rows of the first windows of the run's first pass, fewer where the data has no more."""
    loader = trainer.get_train_dataloader()
    loader.set_epoch(0)
    if isinstance(loader.dataset, Stream):
        rows = iter(loader.dataset)
        windows = (list(islice(rows, loader.batch_size)) for _ in range(number))
        return [window for window in windows if window]
    return [[loader.dataset[place] for place in places] for places in islice(loader.batch_sampler, number)]
