"""What an exported script must hold: the run made ready once more, by the engine's own code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from torch.optim.lr_scheduler import LambdaLR

from engine.config import RunConfig
from engine.config.own_code import parts
from engine.errors import ConfigError, RunError
from engine.store import Run, Store
from engine.trainer import COUNT, Prepared, Progress, prepare

CHECKED = 1000
"""Updates whose windows are made once more and held against the record."""

ROW_KEYS = {"input_ids", "attention_mask", "labels"}


@dataclass
class Recipe:
    """A run that can be written down: nothing in it needs more than the templates know.

    `config` is the run's in one process: the script does the work of all that it had, and the windows are the same.
    `prepared` has the initial weights; `losses` are those that the run recorded, an update each. `own` are the Python
    files that the run's config names, by the name of the module that each becomes.
    """

    run: Run
    config: RunConfig
    prepared: Prepared
    losses: list[float | None]
    own: dict[str, tuple[Path, str]] = field(default_factory=dict)

    @property
    def processes(self) -> int:
        """How many the run had."""
        return int((self.run.plan or {}).get("processes", 1))

    @property
    def stops_early(self) -> bool:
        """Whether the run made fewer updates than it had planned: stopped, failed, or early enough."""
        return len(self.losses) < self.prepared.plan.updates_total

    @property
    def evaluates(self) -> bool:
        return str(self.prepared.trainer.args.eval_strategy.value) != "no"


def recipe(store: Store, run: Run, folder: Path, *, own_code: bool) -> Recipe:
    """Loads the run's model and data again. `own_code`: Python files that the run names may be run for that.

    Raises:
        ConfigError: what stands in the way, naming the field; also whatever `prepare` finds.
        RunError: the record is of other windows, or of another schedule, than these settings and data make now.
    """
    config = RunConfig.from_dict(run.config).in_one_process((run.plan or {}).get("processes"))
    if not run.update:
        raise RunError("export.no-updates", run=run.id)
    _check(config, run.id, own_code)
    _check_metric(config, store.evaluations(run.id))
    for notice in store.notices(run.id):
        if notice["code"] == "run.window-skipped":
            raise RunError("export.skipped", windows=notice["values"].get("windows", 1))
    prepared = prepare(
        config, cache=store.home / "cache", folder=folder, run=run.id, emit=lambda event: None, progress=Progress()
    )
    updates = store.updates(run.id)
    _check_rows(prepared)
    _check_windows(prepared, updates, alone=(run.plan or {}).get("processes", 1) == 1)
    _check_schedule(prepared, updates)
    own = {f"own_{key}": parts(place) for key in ("loss", "trainer") if (place := getattr(config, key)) is not None}
    return Recipe(run, config, prepared, [update["loss"] for update in updates], own)


def _check(config: RunConfig, run: int, own_code: bool) -> None:
    """What no template says is refused here, by its field."""
    for key in ("loss", "trainer"):
        if getattr(config, key) is not None and not own_code:
            raise ConfigError("export.own-code", field=key, run=run)

    def refuse(key: str, code: str = "export.field", **values: Any) -> ConfigError:
        return ConfigError(code, field=key, **values)

    if getattr(config, "quantization", None) is not None:
        raise refuse("quantization")
    training = config.training
    if training.get("dataloader_persistent_workers") and config.task == "fill-mask":
        raise refuse("training.dataloader_persistent_workers")
    evaluates = training.get("eval_strategy", "no") != "no"
    if training.get("dataloader_drop_last") and evaluates:
        raise refuse("training.dataloader_drop_last")


def _check_metric(config: RunConfig, evaluations: list[dict[str, Any]]) -> None:
    """A run that failed by it may have chosen by what no evaluation gives."""
    metric = config.training.get("metric_for_best_model")
    known = {"loss", *(name for each in evaluations for name in each["metrics"])}
    if evaluations and metric is not None and metric.removeprefix("eval_") not in known:
        raise ConfigError("export.metric", field="training.metric_for_best_model", metric=metric)


def _check_rows(prepared: Prepared) -> None:
    if not hasattr(prepared.train, "__len__"):
        raise ConfigError("export.stream", field="data")
    for row in chain(one_by_one(prepared.train), one_by_one(prepared.evaluation)):
        unknown = set(row) - ROW_KEYS
        if unknown or not all(row.get("attention_mask", ())):
            raise ConfigError("export.rows", field="task", part=", ".join(sorted(unknown)) or "attention_mask")


def one_by_one(rows: Any) -> Iterator[dict[str, Any]]:
    """Encoded rows in order, never all of them at once: some are encoded as they are asked for."""
    return (rows[place] for place in range(len(rows)))


def _check_windows(prepared: Prepared, updates: list[dict[str, Any]], *, alone: bool) -> None:
    """Holds the record against the windows that the settings and the data make now: a file may have changed since.

    Into how many micro-batches several processes dealt their shares of a window is theirs: its gradient is the same.
    """
    for update, found in zip(updates[:CHECKED], _windows(prepared), strict=False):
        recorded = tuple(update[name] for name in ("examples", "targets", "micro_batches"))
        if recorded[: 3 if alone else 2] != found[: 3 if alone else 2]:
            raise RunError(
                "export.other-windows",
                update=update["update"],
                examples=recorded[0],
                targets=recorded[1],
                micro_batches=recorded[2],
                now=f"{found[0]}, {found[1]} and {found[2]}",
            )


def _check_schedule(prepared: Prepared, updates: list[dict[str, Any]]) -> None:
    """Holds the record against the schedule: a run that went on with another length followed two of them."""
    trainer, total = prepared.trainer, prepared.plan.updates_total
    trainer.create_optimizer_and_scheduler(total)
    schedule = trainer.lr_scheduler
    if isinstance(schedule, LambdaLR):
        base, share = schedule.base_lrs[0], schedule.lr_lambdas[0]
        for update in updates:
            now = base * share(update["update"] - 1)
            if not math.isclose(update["learning_rate"], now, rel_tol=1e-6, abs_tol=1e-15):
                raise RunError(
                    "export.other-schedule",
                    update=update["update"],
                    rate=f"{update['learning_rate']:.4g}",
                    now=f"{now:.4g}",
                    total=total,
                )


def _windows(prepared: Prepared) -> Iterator[tuple[int, int, int]]:
    """Rows, targets and micro-batches of each window, pass after pass."""
    trainer = prepared.trainer
    loader = trainer.get_train_dataloader()
    epoch = 0
    while True:
        for taken in trainer._begin_pass(loader, epoch, 0, 0):
            counts = [batch[COUNT] for batch in taken]
            yield sum(count.examples for count in counts), sum(count.targets for count in counts), len(counts)
        epoch += 1


def frozen_parts(model: Any) -> list[str]:
    """The largest parts of `model` none of whose weights are trained, as prefixes of their names."""
    trained: Mapping[str, bool] = {name: weight.requires_grad for name, weight in model.named_parameters()}
    frozen = [name for name, wanted in trained.items() if not wanted]
    found: list[str] = []
    for name in frozen:
        if any(name.startswith(part) for part in found):
            continue
        pieces = name.split(".")
        prefixes = [".".join(pieces[:length]) + "." for length in range(1, len(pieces))]
        whole = (
            part for part in prefixes if not any(wanted and other.startswith(part) for other, wanted in trained.items())
        )
        found.append(next(whole, name))
    return found
