"""From a config to a trainer that is ready for its first forward pass, with what was found on the way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

from transformers import set_seed
from transformers.trainer_utils import IntervalStrategy

from engine import datasets, models
from engine.accumulation import Plan
from engine.config import RunConfig
from engine.errors import ConfigError, reason_of
from engine.memory.exhausted import is_out_of_memory
from engine.models import Loaded, Quantization
from engine.models.freezing import freeze
from engine.ranks import Ranks
from engine.tasks import TASKS, Encoded, OnDemand, Task
from engine.trainer.arguments import named_in, training_arguments
from engine.trainer.early_stopping import Patience
from engine.trainer.own_code import own_loss, own_trainer
from engine.trainer.prepared import Prepared
from engine.trainer.probing import Probing
from engine.trainer.read_back import ReadBack
from engine.trainer.streams import Stream, encoded, part_encoded, rows_in
from engine.trainer.trainer import AccumulatingTrainer

Stage = Literal["data", "model"]

OPTIMIZER_FIELDS = ("optim_args", "lr_scheduler_kwargs", "optim", "lr_scheduler_type")
"""Where a fault of the optimizer or the schedule most likely lies, the likeliest first."""


def prepare(
    config: RunConfig,
    *,
    cache: Path,
    folder: Path,
    enter: Callable[[Stage], None] = lambda stage: None,
    check: Callable[[], None] = lambda: None,
    ranks: Ranks | None = None,
    **options: Any,
) -> Prepared:
    """Loads, encodes and probes. `options` go to the trainer; `check` may raise to give up between two steps.

    `ranks`: the processes that do the same at the same time.

    Raises:
        ConfigError: whatever can be told wrong before the first update.
    """
    loss = own_loss(config.loss) if config.loss else None
    kind = own_trainer(config.trainer) if config.trainer else AccumulatingTrainer
    arguments = training_arguments(config, folder / "checkpoints")
    enter("data")
    check()
    with (ranks or Ranks()).in_turn():
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
    if ranks and ranks.sharded:
        _check_sharded(config)
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
            "ranks": ranks,
            **options,
        }
    )
    if loss and not loss.normalised:
        trainer.loss_is_scaled_for_ga = False
        notices.append(("run.mean-of-means", {}))
    elif trainer.documented and not trainer._scales_itself():
        notices.append(("run.mean-of-means-trainer", {}))
    trainer.early = Patience(config.early_stopping) if config.early_stopping else None
    trainer.new_metrics = partial(task.new_metrics, rows.labels or (), rows.problem_type)
    trainer.read_back = ReadBack(task.name, loaded.tokenizer, rows.labels or ())
    collate = task.collator(loaded.tokenizer, loaded.model, seed=config.seed)
    prepared = Prepared(config, trainer, loaded, task, train, evaluation, plan, collate, notices=notices)
    if config.halves and not prepared.exact:
        raise ConfigError("config.halving-way", field="training.auto_find_batch_size", way="a mean of means")
    Probing(prepared).settle()
    try_optimizer(trainer, config, updates=max(1, plan.updates_total))
    check()
    return prepared


def _check_sharded(config: RunConfig) -> None:
    """What needs whole weights in one process."""
    for key in ("lora", "samples"):
        if getattr(config, key) is not None:
            raise ConfigError("launch.sharded", field=key)


def _add_lora(config: RunConfig, loaded: Loaded) -> None:
    from engine.models.lora import add_lora
    from engine.models.quiet import quiet, seeded

    assert config.lora is not None
    with quiet(), seeded(config.seed):
        loaded.model = add_lora(loaded.model, config.lora, config.task, loaded.new)


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
