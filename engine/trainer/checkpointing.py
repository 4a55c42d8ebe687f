"""Checkpoints of a run, from any of which it goes on as if it had never been stopped.

What an update does follows from the weights, the optimizer, the schedule, the scaler, the random state and the rows
that come next. All of these are kept as they are between two windows: a window that is left in its midst is discarded.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

from engine.errors import reason_of
from engine.events import Event, StateChanged
from engine.memory.exhausted import Phase, is_out_of_memory
from engine.store import checkpoint_files as files
from engine.store.checkpoint_files import Mark
from engine.trainer.going_on import RANDOM, WEIGHTS, GoingOn, Rest
from engine.trainer.restoring import RandomState
from engine.trainer.sharding import Sharding, whole
from engine.trainer.windows import WindowSampler

STATE = "trainer_state.json"
"""The Trainer's own state; it reads it by that name."""


class Checkpointing(GoingOn, Sharding):
    """Replaces the Trainer's checkpoints, which know neither a window that gave no update nor another plan."""

    run: int
    emit: Callable[[Event], None]
    phase: Phase | None
    torn: bool
    config: dict[str, Any] | None = None
    """What the checkpoints are told that they are of."""
    kept: Callable[[], None] = staticmethod(lambda: None)
    """Called when the checkpoints on disk have changed."""
    _pass_over: bool = False

    if TYPE_CHECKING:
        accelerator: Any
        optimizer: Any
        control: Any
        _window_sampler: WindowSampler | None

    @property
    def folder(self) -> Path:
        return Path(self.args.output_dir)

    # ---- where the run stands ----

    def _at_rest(self, epoch: int, rows: int, windows: int, due: tuple[bool, bool] | None = None) -> None:
        """Notes a place between two windows; the first one of a pass is before its order is drawn."""
        now = RandomState(self.args.device)
        began = now if self._rest is None or windows == 0 else self._rest.pass_random
        self._rest = Rest(self.state.global_step, epoch, rows, windows, now, began, due)

    def _mark(self, rest: Rest) -> Mark:
        if self._data_digest is None:
            self._digest()
        dealing, early, progress = self._dealing, self.early, self.progress
        return Mark(
            update=rest.update,
            epoch=rest.epoch,
            rows=rest.rows,
            windows=rest.windows,
            due=rest.due,
            micro_batch=self._train_batch_size,
            steps=self.args.gradient_accumulation_steps,
            processes=self.ranks.size,
            used=self._window_sampler.used if self._window_sampler else None,
            length=(self.args.max_steps, self.args.num_train_epochs),
            updates_total=self.state.max_steps,
            examples=progress.examples,
            targets=progress.targets,
            tokens=progress.tokens,
            seconds=progress.clock.seconds,
            window=self._window_number,
            skipped=self._skipped,
            skipped_windows=self._skipped_windows,
            skipped_examples=self._skipped_examples,
            evaluated_at=self.evaluated_at,
            dealing=(dealing.micro_batch, dealing.tokens) if dealing else None,
            early=(early.misses, early.best) if early else None,
            best=self.state.best_global_step,
            weights=self._frozen_digest or "",
            data=self._data_digest or "",
            evaluation=self._evaluation_digest,
            config=self.config,
            versions=versions(self.args.device),
        )

    # ---- writing ----

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """Writes one of now. One that can't be written is told, and the run goes on."""
        assert self._rest is not None
        now = RandomState(self.args.device)
        rest = replace(self._rest, update=self.state.global_step, random=now, due=None)
        if self._pass_over:
            rest = replace(rest, epoch=rest.epoch + 1, rows=0, windows=0, pass_random=now)
        self.emit(StateChanged(run=self.run, state="running", activity="saving"))
        self._write(rest)
        self.emit(StateChanged(run=self.run, state="running", activity="training"))

    def leave_checkpoint(self) -> None:
        """Writes one of the place where the run was left, so that it can go on there; none before the first update."""
        rest = self._rest
        if rest is None or not rest.update or rest.update != self.state.global_step:
            return
        # an update that broke off in its midst left something that never was
        if self.torn or self.phase == "update":
            return
        if self._newest is None or _timeless(self._mark(rest)) != _timeless(self._newest):
            self._write(rest)

    def _write(self, rest: Rest) -> None:
        """The leader writes for all."""
        mark = self._mark(rest)
        if self.ranks.sharded:
            weights = {name: whole(tensor, keep=self.ranks.leads) for name, tensor in self._tensors()}
            self._gather_optimizer()
        else:
            weights = {name: tensor.detach() for name, tensor in self._tensors()}
        if self.ranks.leads:
            self._write_here(mark, rest, weights)
        else:
            self._newest = mark
        self._whole_optimizer = None
        self.state.best_model_checkpoint = self.ranks.told(self.state.best_model_checkpoint)

    def _write_here(self, mark: Mark, rest: Rest, weights: dict[str, torch.Tensor]) -> None:
        try:
            with files.written(self.folder, mark) as folder:
                self._fill(folder, rest, weights)
        except Exception as problem:
            if is_out_of_memory(problem):
                raise
            last = max((each.update for each in files.in_folder(self.folder) if each.whole), default=None)
            code = "run.no-checkpoint" if last is None else "run.no-new-checkpoint"
            self.notice(code, update=mark.update, reason=reason_of(problem), last=last)
            return
        self._newest = mark
        files.thin_out(self.folder, self.args.save_total_limit)
        self.state.best_model_checkpoint = self._best_folder()
        self.kept()

    def _fill(self, folder: Path, rest: Rest, weights: dict[str, torch.Tensor]) -> None:
        _save(weights, folder / WEIGHTS)
        _save({"now": rest.random.to_dict(), "pass": rest.pass_random.to_dict()}, folder / RANDOM)
        self._save_optimizer_and_scheduler(str(folder))
        self._save_scaler(str(folder))  # type: ignore[attr-defined]
        self.state.save_to_json(str(folder / STATE))

    def _tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """What training moves: the trained weights, and the buffers."""
        model = self.accelerator.unwrap_model(self.model)
        yield from ((name, weight) for name, weight in model.named_parameters() if weight.requires_grad)
        yield from model.named_buffers()

    # ---- the best one ----

    def _determine_best_metric(self, metrics: Any, trial: Any) -> Any:
        best = super()._determine_best_metric(metrics=metrics, trial=trial)  # type: ignore[misc]
        if best and self.args.load_best_model_at_end:
            self.control.should_save = True
        if self.early:
            name = self.args.metric_for_best_model.removeprefix("eval_")
            self.early.look(metrics[f"eval_{name}"], greater_is_better=self.args.greater_is_better)
            if self.early.over:
                self.control.should_training_stop = True
        return best

    def _best_folder(self) -> str | None:
        best = self.state.best_global_step
        found = [each for each in files.in_folder(self.folder) if each.whole and each.update == best]
        return str(found[0].path) if found else None

    def _finalize_training(self, *given: Any, **named: Any) -> Any:
        state = self.state
        if self.args.load_best_model_at_end and state.best_global_step and state.best_model_checkpoint is None:
            self.notice("run.best-gone", update=state.best_global_step)
        return super()._finalize_training(*given, **named)  # type: ignore[misc]

    def _load_best_model(self) -> None:
        folder, update = Path(self.state.best_model_checkpoint), self.state.best_global_step
        if files.torn_file(folder) is not None:
            self.notice("run.best-gone", update=update)
            return
        self._load_from_checkpoint(str(folder))
        metric = self.args.metric_for_best_model.removeprefix("eval_")
        value = self.state.best_metric
        self.notice("run.best-restored", update=update, metric=metric, value=f"{value:.4g}")


def versions(device: torch.device) -> dict[str, str]:
    """What the last bit of a number depends on, besides the config."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "device": device.type,
    }


def _timeless(mark: Mark) -> Mark:
    return replace(mark, seconds=0.0, files={}, sums={})


def _save(values: Any, path: Path) -> None:
    with path.open("wb") as file:
        torch.save(values, file)
