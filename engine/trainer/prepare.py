"""From a config to a trainer that is ready for its first forward pass, with what was found on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import set_seed
from transformers.trainer_utils import IntervalStrategy

from engine import datasets, models
from engine.accumulation import Plan, WindowOrder, shifts_labels
from engine.config import RunConfig
from engine.errors import ConfigError, reason_of
from engine.memory.exhausted import is_out_of_memory
from engine.models import Loaded, Quantization, architecture
from engine.models.freezing import freeze
from engine.models.rows_attention import attend_by_rows
from engine.tasks import TASKS, Encoded, OnDemand, Task, next_token_labels, packed
from engine.trainer.arguments import named_in, training_arguments
from engine.trainer.collate import CountingCollator
from engine.trainer.early_stopping import Patience
from engine.trainer.own_code import own_loss, own_trainer
from engine.trainer.probes import last_token_changes, packing_changes, padding_changes, unrounded
from engine.trainer.streams import Stream, encoded, part_encoded, rows_in
from engine.trainer.trainer import AccumulatingTrainer
from engine.trainer.windows import Numbered

Stage = Literal["data", "model"]

OPTIMIZER_FIELDS = ("optim_args", "lr_scheduler_kwargs", "optim", "lr_scheduler_type")
"""Where a fault of the optimizer or the schedule most likely lies, the likeliest first."""


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


def prepare(
    config: RunConfig,
    *,
    cache: Path,
    folder: Path,
    enter: Callable[[Stage], None] = lambda stage: None,
    check: Callable[[], None] = lambda: None,
    **options: Any,
) -> Prepared:
    """Loads, encodes and probes. `options` go to the trainer; `check` may raise to give up between two steps.

    Raises:
        ConfigError: whatever can be told wrong before the first update.
    """
    loss = own_loss(config.loss) if config.loss else None
    kind = own_trainer(config.trainer) if config.trainer else AccumulatingTrainer
    arguments = training_arguments(config, folder / "checkpoints")
    enter("data")
    check()
    rows = datasets.load(config.data, config.task, seed=config.seed, cache=cache)
    check()
    check_smoothing(config, rows.problem_type)
    enter("model")
    loaded = models.load(
        config.model,
        config.task,
        labels=rows.labels,
        problem_type=rows.problem_type,
        texts=rows.texts,
        seed=config.seed,
        cache=cache,
        quantization=Quantization(config.quantization, arguments.device) if config.quantization else None,
    )
    loaded.check_length(config.data.max_length)
    if config.lora:
        _add_lora(config, loaded)
    if config.freeze:
        freeze(loaded.model, config.freeze, config.task)
    check()
    task = TASKS[config.task]
    train = encoded(task, rows, loaded.tokenizer, config.data.max_length)
    evaluation = part_encoded(task, rows.evaluation, loaded.tokenizer, config.data.max_length)
    notices = [*rows.notices, *loaded.notices, *train.notices]
    _check_budget(config, task, train)
    if arguments.eval_strategy != "no" and not evaluation:
        needs = "early_stopping" if config.early_stopping else "training.load_best_model_at_end"
        if config.early_stopping or arguments.load_best_model_at_end:
            raise ConfigError("data.needs-evaluation", field=needs)
        arguments.eval_strategy = IntervalStrategy.NO
        notices.append(("run.nothing-to-evaluate", {}))
    if not train.sample:
        raise ConfigError("data.nothing-encoded", field="data.text", tokenizer=type(loaded.tokenizer).__name__)
    plan = Plan.of(config, rows_in(train, config))
    if not plan.updates_per_epoch:
        raise ConfigError("data.too-few-rows", field="training.per_device_train_batch_size", rows=plan.rows)
    set_seed(config.seed)
    trainer = kind(
        **{
            "normalization": config.loss_normalization,
            "micro_batch_tokens": config.micro_batch_tokens,
            "halves": config.halves,
            "model": loaded.model,
            "args": arguments,
            "train_dataset": train,
            "eval_dataset": evaluation or None,
            "processing_class": loaded.tokenizer,
            "compute_loss_func": loss.call if loss else None,
            "check": check,
            **options,
        }
    )
    if loss and not loss.normalised:
        trainer.loss_is_scaled_for_ga = False
        notices.append(("run.mean-of-means", {}))
    elif trainer.documented and not trainer._scales_itself():
        notices.append(("run.mean-of-means-trainer", {}))
    if config.halves and not _exact(config, trainer):
        raise ConfigError("config.halving-way", field="training.auto_find_batch_size", way="a mean of means")
    trainer.early = Patience(config.early_stopping) if config.early_stopping else None
    trainer.new_metrics = partial(task.new_metrics, rows.labels or (), rows.problem_type)
    collate = task.collator(loaded.tokenizer, loaded.model, seed=config.seed)
    prepared = Prepared(config, trainer, loaded, task, train, evaluation, plan, collate, notices=notices)
    _Probing(prepared).settle()
    try_optimizer(trainer, config, updates=max(1, plan.updates_total))
    check()
    return prepared


def _add_lora(config: RunConfig, loaded: Loaded) -> None:
    from engine.models.lora import add_lora
    from engine.models.quiet import quiet, seeded

    assert config.lora is not None
    with quiet(), seeded(config.seed):
        loaded.model = add_lora(loaded.model, config.lora, config.task, loaded.new)


def _exact(config: RunConfig, trainer: AccumulatingTrainer) -> bool:
    """Whether any way of dealing a window gives the same update."""
    return config.loss_normalization == "exact" and (not trainer.documented or trainer._scales_itself())


def check_smoothing(config: RunConfig, problem_type: str | None) -> None:
    """Whether label smoothing suits the labels."""
    if problem_type in ("regression", "multi_label_classification") and config.setting("label_smoothing_factor"):
        raise ConfigError("config.smoothing", field="training.label_smoothing_factor", problem_type=problem_type)


def _check_budget(config: RunConfig, task: Task, train: Encoded | OnDemand | Stream) -> None:
    tokens = config.micro_batch_tokens
    if isinstance(train, Encoded):
        longest = max((sum(task.widths(row)) for row in train), default=0)
    else:
        longest = train.longest()
    if tokens is not None and longest > tokens:
        raise ConfigError("data.row-above-budget", field="micro_batch_tokens", longest=longest, tokens=tokens)


def try_optimizer(trainer: AccumulatingTrainer, config: RunConfig, *, updates: int) -> None:
    """Makes the optimizer and the schedule once for nothing: what they refuse is told before the first update."""
    try:
        trainer.create_optimizer_and_scheduler(updates)
    except Exception as problem:
        if is_out_of_memory(problem):
            raise
        chosen = config.training
        place = named_in(str(problem), chosen) or next((name for name in OPTIMIZER_FIELDS if name in chosen), "optim")
        raise ConfigError(
            "training.refused", field=f"training.{place}", problem=f"{type(problem).__name__}: {reason_of(problem)}"
        ) from None
    finally:
        trainer.optimizer = trainer.lr_scheduler = None
        trainer._created_lr_scheduler = False


class _Probing:
    """Settles by trying: whether the head shifts, whether rows may be packed, and in which order they are dealt."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.trainer = prepared.trainer
        self.task = prepared.task

    def settle(self) -> None:
        config = self.prepared.config
        self.trainer.model.eval()
        with torch.random.fork_rng(), unrounded():
            self._check_decoder()
            try:
                shifts = shifts_labels(self._own_loss, self._batch(self.prepared.train.sample[:1]))
            except (TypeError, ValueError, IndexError) as error:
                name = architecture(self.trainer.model)
                raise ConfigError(
                    "model.no-forward", field="model", architecture=name, reason=reason_of(error)
                ) from None
            if self.task.predicts_next:
                self._look_ahead()
            # a head that compares each label with its own position must be given the token after it
            shifted = self.task.predicts_next and not shifts
            laid = partial(next_token_labels, packed) if shifted else packed
            if shifted:
                self.prepared.collate = partial(next_token_labels, self.prepared.collate)
            if config.packing:
                attend_by_rows(self.trainer.model)
                self._check_packing(laid)
            self.trainer.window_order = self._order()
        self.prepared.shifts = shifts
        self.trainer.data_collator = CountingCollator(
            laid if config.packing else self.prepared.collate,
            shifts=shifts,
            widths=self.task.widths,
            packed=config.packing,
        )

    def _batch(self, rows: list[Any]) -> dict[str, Any]:
        return self.prepared.collate([Numbered(rows)[place] for place in range(len(rows))])

    def _loss(self, batch: dict[str, Any]) -> torch.Tensor:
        return self._forward(batch)[0]

    def _forward(self, batch: dict[str, Any]) -> tuple[torch.Tensor, Any]:
        items = torch.tensor(max(1, int((batch["labels"] != -100).sum()))) if self.trainer.documented else None
        inputs = self.trainer._prepare_inputs(dict(batch))
        found: tuple[torch.Tensor, Any] = self.trainer.compute_loss(
            self.trainer.model, inputs, return_outputs=True, num_items_in_batch=items
        )
        return found

    def _own_loss(self, batch: dict[str, Any]) -> torch.Tensor:
        """The loss that training uses, but for a custom one: transformers counts its items by the model's own rule."""
        if not self.trainer.documented:
            return self._loss(batch)
        loss: torch.Tensor = self.trainer.model(**self.trainer._prepare_inputs(dict(batch))).loss
        return loss

    def _check_decoder(self) -> None:
        """Encoder-decoders make their decoder's input from the labels, which a custom loss takes away."""
        takes_labels = self.trainer.label_smoother is not None or self.trainer.compute_loss_func is not None
        if takes_labels and self.trainer.model.config.is_encoder_decoder:
            batch = self._batch(self.prepared.train.sample[:1])
            if not any(name.startswith("decoder_") for name in batch):
                name = architecture(self.trainer.model)
                raise ConfigError(
                    "code.no-decoder",
                    field="loss" if self.prepared.config.loss else "training.label_smoothing_factor",
                    architecture=name,
                )

    def _look_ahead(self) -> None:
        """Whether the head reads the token that it is to predict: its loss would mean nothing."""
        row = max(self.prepared.train.sample[:8], key=self.task.widths)
        ids = row["input_ids"]
        if len(ids) < 3:
            return
        other = {**row, "input_ids": [*ids[:-1], ids[0] if ids[0] != ids[-1] else ids[1]]}
        if ids[-1] == other["input_ids"][-1]:
            return
        moved = last_token_changes(self._forward, self._batch([row]), self._batch([other]))
        if moved is not None:
            self._notice("model.reads-ahead")

    def _check_packing(self, laid: Callable[[list[Any]], dict[str, Any]]) -> None:
        by_length = sorted(self.prepared.train.sample[:64], key=lambda row: -sum(self.task.widths(row)))
        rows = [by_length[0], by_length[-1]]
        name = architecture(self.trainer.model)
        try:
            moved = packing_changes(self._forward, self._batch(rows), laid(rows))
        except (TypeError, ValueError, RuntimeError) as error:
            raise ConfigError(
                "model.cannot-pack", field="packing", architecture=name, reason=reason_of(error)
            ) from None
        if moved is not None:
            raise ConfigError("model.no-packing", field="packing", architecture=name, percent=f"{100 * moved:.3g}")

    def _order(self) -> WindowOrder:
        config = self.prepared.config
        lengths = sorted(self.prepared.train.sample, key=lambda row: sum(self.task.widths(row)))
        even = self.task.widths(lengths[0]) == self.task.widths(lengths[-1])
        exact = _exact(config, self.trainer)
        if config.packing or even or (config.window_order != "sorted" and not exact):
            return config.window_order or "random"
        rows = [lengths[0], lengths[len(lengths) // 2]]
        moved = max(
            (
                found
                for row in rows
                if (found := padding_changes(self._forward, self._batch([row]), self._batch([row, lengths[-1]])))
            ),
            default=None,
        )
        if moved is None:
            return config.window_order or "sorted"
        dealt = config.window_order == "sorted" or config.micro_batch_tokens
        code = "model.padding-matters" if dealt else "model.padding-counts"
        self._notice(code, percent=f"{100 * moved:.3g}")
        return config.window_order or "random"

    def _notice(self, code: str, **values: Any) -> None:
        self.prepared.notices.append((code, {"architecture": architecture(self.trainer.model), **values}))
