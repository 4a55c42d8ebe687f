"""Evaluation by targets: the same loss at any evaluation batch size."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from transformers.trainer_utils import EvalLoopOutput

from engine.errors import RunError
from engine.events import EvaluationDone, Event, StateChanged
from engine.memory.exhausted import OutOfMemory, Phase, is_out_of_memory, let_go
from engine.memory.release import release
from engine.ranks import Ranks
from engine.tasks.base import Metrics
from engine.trainer.collate import COUNT, MicroBatchCount
from engine.trainer.progress import Progress
from engine.trainer.windows import Numbered

NO_METRICS = frozenset({"epoch", "eval_runtime", "eval_samples_per_second", "eval_steps_per_second"})
"""What the Trainer adds to an evaluation's metrics."""


class EvaluationByTargets:
    """Replaces the Trainer's evaluation loop, whose loss is a mean of batch means weighted by rows."""

    run: int
    emit: Callable[[Event], None]
    progress: Progress
    check: Callable[[], None]
    new_metrics: Callable[[], Metrics] | None = None
    evaluated_at: int | None = None
    documented: bool
    phase: Phase | None
    halves: bool
    ranks: Ranks
    evaluated_by: Callable[[int, OutOfMemory], None] = staticmethod(lambda rows, failure: None)
    """Called with the rows of a batch from now on, where more did not fit."""

    if TYPE_CHECKING:
        args: Any
        state: Any
        model: Any
        model_wrapped: Any
        accelerator: Any
        optimizer: Any
        control: Any
        eval_dataset: Any
        label_smoother: Any

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any: ...

        data_collator: Any

        def _prepare_inputs(self, inputs: Any) -> Any: ...
        def _any_row(self) -> dict[str, Any]: ...
        def out_of_memory(self, problem: BaseException) -> OutOfMemory: ...

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        """As the Trainer's, over rows that know their place, none of them dropped; of several processes each has its
        share of the batches."""
        rows = self.eval_dataset if eval_dataset is None else eval_dataset
        if self.ranks.several:
            return self._share_of(rows)
        drop_last, self.args.dataloader_drop_last = self.args.dataloader_drop_last, False
        try:
            return super().get_eval_dataloader(Numbered(rows))  # type: ignore[misc]
        finally:
            self.args.dataloader_drop_last = drop_last

    def _share_of(self, rows: Any) -> DataLoader[dict[str, Any]]:
        size = self.args.eval_batch_size
        batches = [range(start, min(start + size, len(rows))) for start in range(0, len(rows), size)]
        mine = [list(batch) for batch in batches[self.ranks.rank :: self.ranks.size]]
        return DataLoader(
            Numbered(rows),
            batch_sampler=mine,
            collate_fn=self.data_collator,
            num_workers=self.args.dataloader_num_workers,
            pin_memory=self.args.dataloader_pin_memory,
        )

    def _determine_best_metric(self, metrics: Any, trial: Any) -> Any:
        """As the Trainer's. Raises RunError for a metric that the evaluation does not give."""
        name = self.args.metric_for_best_model
        if name is not None and name.removeprefix("eval_") not in {each.removeprefix("eval_") for each in metrics}:
            known = ", ".join(each.removeprefix("eval_") for each in metrics if each not in NO_METRICS)
            raise RunError("run.no-metric", name=name, known=known)
        return super()._determine_best_metric(metrics=metrics, trial=trial)  # type: ignore[misc]

    def evaluation_loop(
        self,
        dataloader: Any,
        description: str,
        prediction_loss_only: bool | None = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> EvalLoopOutput:
        """Σ tᵢ·mᵢ / Σ tᵢ over batches of tᵢ targets and mean mᵢ, and the task's metrics.

        Where the trainer `halves`, an evaluation that does not fit begins again with half the rows a batch: its sums
        are the same. Raises what `check` raises, between batches.
        """
        while True:
            try:
                return self._evaluated(dataloader, metric_key_prefix)
            except Exception as problem:
                rows = self.args.per_device_eval_batch_size
                if not self.halves or rows == 1 or not is_out_of_memory(problem):
                    raise
                failure = self.out_of_memory(problem)
                let_go(problem)
            release()
            self.args.per_device_eval_batch_size = math.ceil(rows / 2)
            self.evaluated_by(self.args.per_device_eval_batch_size, failure)
            dataloader = self.get_eval_dataloader()

    def _evaluated(self, dataloader: Any, metric_key_prefix: str) -> EvalLoopOutput:
        began = time.perf_counter()
        self.phase = "evaluation"
        self.emit(StateChanged(run=self.run, state="running", activity="evaluating"))
        model = self.model_wrapped
        if isinstance(model, DistributedDataParallel):
            # it would wait for the others in each pass, and they may have fewer
            model = model.module
        if not self.accelerator._models:
            model = self.accelerator.prepare_model(self.model, evaluation_mode=True)
        model.eval()
        if hasattr(self.optimizer, "eval") and callable(self.optimizer.eval):
            self.optimizer.eval()
        metrics = self.new_metrics() if self.new_metrics else None
        # MPS has no float64
        precise = torch.float32 if self.args.device.type == "mps" else torch.float64
        total = torch.zeros((), dtype=precise, device=self.args.device)
        targets = examples = 0
        for batch in self._in_step(dataloader):
            self.check()
            count: MicroBatchCount | None = batch.pop(COUNT, None)
            if count is not None:
                examples += count.examples
            if count is None or not count.targets:
                if self.ranks.sharded:
                    self._pass_along(model)
                continue
            batch = self._prepare_inputs(batch)
            with torch.no_grad():
                items = torch.tensor(count.items, device=self.args.device) if self.documented else None
                loss, outputs = self.compute_loss(model, dict(batch), return_outputs=True, num_items_in_batch=items)
            total += loss * count.targets
            targets += count.targets
            if metrics:
                metrics.add(outputs, batch)
        shares = self.ranks.gather((total.item(), targets, examples, metrics.sums() if metrics else {}))
        whole, targets, examples = (sum(part) for part in list(zip(*shares, strict=True))[:3])
        if metrics:
            metrics.take([counted for *_, counted in shares])
        mean = whole / targets if targets else math.nan
        # a smoothed loss, or one of the user's own, is no mean of log-probabilities
        plain = self.label_smoother is None and not self.documented
        values = metrics.result(mean if plain else None) if metrics and targets else {}
        self.emit(
            EvaluationDone(
                run=self.run,
                update=self.state.global_step,
                epoch=self.state.epoch or 0.0,
                loss=mean if math.isfinite(mean) else None,
                metrics=values,
                examples=examples,
                targets=targets,
                duration=time.perf_counter() - began,
                seconds=self.progress.clock.seconds,
                total_examples=self.progress.examples,
                total_targets=self.progress.targets,
            )
        )
        self.emit(StateChanged(run=self.run, state="running", activity="training"))
        self.phase = None
        self.evaluated_at = self.state.global_step
        named = {f"{metric_key_prefix}_{name}": value for name, value in {"loss": mean, **values}.items()}
        return EvalLoopOutput(predictions=None, label_ids=None, metrics=named, num_samples=examples)

    def _in_step(self, dataloader: Any) -> Iterator[dict[str, Any]]:
        """The batches of this process, and empty ones for as long as another process has more."""
        most = max(self.ranks.gather(len(dataloader))) if self.ranks.several else 0
        yield from dataloader
        yield from ({} for _ in range(most - len(dataloader)))

    def _pass_along(self, model: Any) -> None:
        """Goes through a row for the sake of the others, whose weights lie here in part."""
        with torch.no_grad():
            self.compute_loss(model, self._prepare_inputs(self._any_row()), num_items_in_batch=None)
