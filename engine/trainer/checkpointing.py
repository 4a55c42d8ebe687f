"""Checkpoints of a run, from any of which it goes on as if it had never been stopped.

What an update does follows from the weights, the optimizer, the schedule, the scaler, the random state and the rows
that come next. All of these are kept as they are between two windows: a window that is left in its midst is discarded.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from torch.utils.data import IterableDataset

from engine.accumulation import Plan, updates_left
from engine.errors import ConfigError, reason_of
from engine.events import Event, StateChanged
from engine.memory.exhausted import Phase, is_out_of_memory
from engine.store import checkpoint_files as files
from engine.store.checkpoint_files import Mark
from engine.trainer.digests import digest_of_frozen, digest_of_rows
from engine.trainer.early_stopping import Patience
from engine.trainer.fitting import Dealing
from engine.trainer.progress import Progress, Stopwatch
from engine.trainer.restoring import RandomState
from engine.trainer.windows import WindowSampler

WEIGHTS, RANDOM, STATE = "weights.pt", "random.pt", "trainer_state.json"


@dataclass(frozen=True)
class Rest:
    """A place between two windows: the pass, what was met of it, and the random state there and where the pass began.

    `due`: an evaluation and a checkpoint that `update` still asks for.
    """

    update: int
    epoch: int
    rows: int
    windows: int
    random: RandomState
    pass_random: RandomState
    due: tuple[bool, bool] | None = None


class Checkpointing:
    """Replaces the Trainer's checkpoints, which know neither a window that gave no update nor another plan."""

    run: int
    emit: Callable[[Event], None]
    progress: Progress
    phase: Phase | None
    torn: bool
    evaluated_at: int | None
    early: Patience | None = None
    """Ends the run once it is over."""
    config: dict[str, Any] | None = None
    """What the checkpoints are told that they are of."""
    notice: Callable[..., None] = staticmethod(lambda code, **values: None)
    """Takes a code of `errors.WORDING` and the values of its words."""
    kept: Callable[[], None] = staticmethod(lambda: None)
    """Called when the checkpoints on disk have changed."""
    taken_up: Mark | None = None
    """Where the run goes on from."""
    _newest: Mark | None = None
    _rest: Rest | None = None
    _resuming: Rest | None = None
    _pass_over: bool = False
    _window_number: int
    _skipped: int
    _skipped_windows: int = 0
    _skipped_examples: int = 0
    _data_digest: str | None = None
    _frozen_digest: str | None = None

    if TYPE_CHECKING:
        args: Any
        state: Any
        model: Any
        accelerator: Any
        optimizer: Any
        lr_scheduler: Any
        control: Any
        train_dataset: Any
        _dealing: Dealing | None
        _window_sampler: WindowSampler | None
        _train_batch_size: int
        halves: bool

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
            self._data_digest = digest_of_rows(self.train_dataset)
            self._frozen_digest = digest_of_frozen(self.model)
        dealing, early, progress = self._dealing, self.early, self.progress
        return Mark(
            update=rest.update,
            epoch=rest.epoch,
            rows=rest.rows,
            windows=rest.windows,
            due=rest.due,
            micro_batch=self._train_batch_size,
            steps=self.args.gradient_accumulation_steps,
            used=self._window_sampler.used if self._window_sampler else None,
            length=(self.args.max_steps, self.args.num_train_epochs),
            updates_total=self.state.max_steps,
            examples=progress.examples,
            targets=progress.targets,
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
            data=self._data_digest,
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
        mark = self._mark(rest)
        try:
            with files.written(self.folder, mark) as folder:
                self._fill(folder, rest)
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

    def _fill(self, folder: Path, rest: Rest) -> None:
        _save({name: tensor.detach() for name, tensor in self._tensors()}, folder / WEIGHTS)
        _save({"now": rest.random.to_dict(), "pass": rest.pass_random.to_dict()}, folder / RANDOM)
        self._save_optimizer_and_scheduler(str(folder))  # type: ignore[attr-defined]
        self._save_scaler(str(folder))  # type: ignore[attr-defined]
        self.state.save_to_json(str(folder / STATE))

    def _tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """What training moves: the trained weights, and the buffers."""
        model = self.accelerator.unwrap_model(self.model)
        yield from ((name, weight) for name, weight in model.named_parameters() if weight.requires_grad)
        yield from model.named_buffers()

    # ---- going on ----

    def train(self, resume_from_checkpoint: Any = None, **options: Any) -> Any:
        """As the Trainer's. `resume_from_checkpoint`: the folder of a checkpoint.

        Raises ConfigError as `take_up`.
        """
        if resume_from_checkpoint is not None and self.taken_up is None:
            self.take_up(Path(resume_from_checkpoint))
        return super().train(resume_from_checkpoint=resume_from_checkpoint, **options)  # type: ignore[misc]

    def take_up(self, folder: Path) -> Mark:
        """Stands where the checkpoint stands: all but weights, optimizer and schedule, which `train` loads.

        Raises:
            ConfigError: the rows or the frozen weights are others, or the plan is one that can't go on there.
        """
        mark = self.taken_up = self._newest = Mark.read(folder)
        saved = torch.load(folder / RANDOM, map_location="cpu", weights_only=True)
        now, began = (RandomState.from_dict(saved[name], self.args.device) for name in ("now", "pass"))
        self._rest = self._resuming = Rest(mark.update, mark.epoch, mark.rows, mark.windows, now, began, mark.due)
        self._data_digest = digest_of_rows(self.train_dataset)
        self._frozen_digest = digest_of_frozen(self.model)
        if mark.data != self._data_digest:
            raise ConfigError("resume.other-rows", field="data", update=mark.update)
        if mark.weights != self._frozen_digest:
            raise ConfigError("resume.other-weights", field="model", update=mark.update)
        rows = self._train_batch_size * self.args.gradient_accumulation_steps
        if rows != mark.window_rows and self._order_follows_plan():
            raise ConfigError(
                "resume.order-follows-plan", field="training.gradient_accumulation_steps", before=mark.window_rows
            )
        progress = self.progress
        progress.updates, progress.examples, progress.targets = mark.update, mark.examples, mark.targets
        progress.clock = Stopwatch(mark.seconds)
        self.evaluated_at = mark.evaluated_at
        self._window_number, self._skipped = mark.window, mark.skipped
        self._skipped_windows, self._skipped_examples = mark.skipped_windows, mark.skipped_examples
        if self.early and mark.early:
            self.early.misses, self.early.best = mark.early
        if mark.dealing and self.halves and self._same_plan(mark):
            self._dealing = Dealing(*mark.dealing)
        return mark

    def _same_plan(self, mark: Mark) -> bool:
        return (self._train_batch_size, self.args.gradient_accumulation_steps) == (mark.micro_batch, mark.steps)

    def _order_follows_plan(self) -> bool:
        """Whether windows of another size would come in another order."""
        if isinstance(self.train_dataset, IterableDataset):
            return bool(self.args.dataloader_num_workers > 0)
        return self.args.train_sampling_strategy not in ("random", "sequential")

    def set_initial_training_values(self, args: Any, dataloader: Any) -> Any:
        *values, total = super().set_initial_training_values(args, dataloader)  # type: ignore[misc]
        return (*values, self.updates_in_all(total))

    def updates_in_all(self, planned: int) -> int:
        """`planned` by the settings alone; another plan or length on the way changes what is still to come."""
        mark, args = self.taken_up, self.args
        if mark is None or args.max_steps > 0 or isinstance(self.train_dataset, IterableDataset):
            return planned
        rows, window = len(self.train_dataset), self._train_batch_size * args.gradient_accumulation_steps
        whole = self._train_batch_size if args.dataloader_drop_last else 1
        used = rows // whole * whole
        if (window, used, (args.max_steps, args.num_train_epochs)) == (mark.window_rows, mark.used, mark.length):
            return mark.updates_total
        return mark.update + updates_left(
            epoch=mark.epoch,
            met=mark.rows,
            this_pass=mark.rows + max(0, rows - mark.rows) // whole * whole,
            each_pass=used,
            window=window,
            epochs=args.num_train_epochs,
        )

    def goes_on_with(self, plan: Plan) -> Plan:
        """`plan` as a resumed run follows it."""
        plan = replace(plan, updates_total=self.updates_in_all(plan.updates_total))
        return plan.dealt_in(self._dealing.micro_batch, self._dealing.tokens) if self._dealing else plan

    def _init_training_state(self, max_steps: int, *given: Any, **named: Any) -> tuple[int, int]:
        found: tuple[int, int] = super()._init_training_state(max_steps, *given, **named)  # type: ignore[misc]
        if self.taken_up is None:
            return found
        # how often to evaluate and save is what is asked for now
        self.state.compute_steps(self.args, max_steps)
        self.state.best_model_checkpoint = self._best_folder()
        self.args.eval_on_start = False
        return self.taken_up.epoch, 0

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        saved = torch.load(Path(resume_from_checkpoint) / WEIGHTS, map_location="cpu", weights_only=True, mmap=True)
        own = dict(self._tensors())
        if {name: value.shape for name, value in saved.items()} != {name: value.shape for name, value in own.items()}:
            update = self.taken_up.update if self.taken_up else self.state.global_step
            raise ConfigError("resume.other-weights", field="model", update=update)
        with torch.no_grad():
            for name, value in saved.items():
                own[name].copy_(value)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[misc]
        mark, schedule = self.taken_up, self.lr_scheduler
        if mark is None or self.state.max_steps == mark.updates_total:
            return
        if isinstance(schedule, torch.optim.lr_scheduler.LambdaLR):
            for group, base, share in zip(
                schedule.optimizer.param_groups, schedule.base_lrs, schedule.lr_lambdas, strict=True
            ):
                group["lr"] = base * share(schedule.last_epoch)
            schedule._last_lr = [group["lr"] for group in schedule.optimizer.param_groups]
        self.notice("run.resumed-schedule", total=self.state.max_steps, before=mark.updates_total)

    def _load_rng_state(self, checkpoint: str | None) -> None:
        """The loop puts the random state back itself, when the rows are there."""

    def _enter_pass(self, epoch: int) -> Rest | None:
        """Where in this pass a resumed run stands, once; None where the pass begins.

        The random state is then the one that the order of the pass was drawn from.
        """
        rest, self._resuming = self._resuming, None
        if rest is not None:
            (rest.pass_random if rest.windows else rest.random).restore()
            if rest.windows or rest.due:
                return rest
        self._at_rest(epoch, 0, 0)
        return None

    def _has_ended(self) -> bool:
        """Whether a resumed run had done all of its updates, or had lost its patience."""
        done = self.state.global_step >= self.state.max_steps
        return self.taken_up is not None and (done or (self.early is not None and self.early.over))

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
    return replace(mark, seconds=0.0, files={})


def _save(values: Any, path: Path) -> None:
    with path.open("wb") as file:
        torch.save(values, file)
