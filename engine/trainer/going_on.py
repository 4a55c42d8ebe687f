"""How a run goes on from a checkpoint: at the same place, or with another plan at the next row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import IterableDataset

from engine.accumulation import Plan, updates_left
from engine.errors import ConfigError
from engine.ranks import Ranks
from engine.store.checkpoint_files import Mark
from engine.trainer.digests import digest_of_frozen, digest_of_rows
from engine.trainer.early_stopping import Patience
from engine.trainer.fitting import Dealing
from engine.trainer.progress import Progress, Stopwatch
from engine.trainer.restoring import RandomState
from engine.trainer.sharding import laid_out

WEIGHTS, RANDOM = "weights.pt", "random.pt"


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


class GoingOn:
    """Replaces the Trainer's resumption, whose place in a pass follows from the number of updates and the plan."""

    progress: Progress
    evaluated_at: int | None
    early: Patience | None = None
    """Ends the run once it is over."""
    notice: Callable[..., None] = staticmethod(lambda code, **values: None)
    """Takes a code of `errors.WORDING` and the values of its words."""
    taken_up: Mark | None = None
    """Where the run goes on from."""
    _newest: Mark | None = None
    _rest: Rest | None = None
    _resuming: Rest | None = None
    _data_digest: str | None = None
    _evaluation_digest: str | None = None
    _frozen_digest: str | None = None
    _window_number: int
    _skipped: int
    _skipped_windows: int = 0
    _skipped_examples: int = 0

    if TYPE_CHECKING:
        args: Any
        state: Any
        model: Any
        lr_scheduler: Any
        train_dataset: Any
        eval_dataset: Any
        halves: bool
        ranks: Ranks
        _dealing: Dealing | None
        _train_batch_size: int

        @property
        def window_rows(self) -> int: ...
        @property
        def _whole(self) -> int: ...
        def _tensors(self) -> Iterator[tuple[str, torch.Tensor]]: ...
        def _at_rest(self, epoch: int, rows: int, windows: int) -> None: ...
        def _best_folder(self) -> str | None: ...

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
        self._digest()
        if mark.data != self._data_digest:
            raise ConfigError("resume.other-rows", field="data", update=mark.update)
        if mark.evaluation not in (None, self._evaluation_digest):
            raise ConfigError("resume.other-evaluation", field="data", update=mark.update)
        if mark.weights != self._frozen_digest:
            raise ConfigError("resume.other-weights", field="model", update=mark.update)
        rows = self.window_rows
        if rows != mark.window_rows and self._order_follows_plan():
            raise ConfigError(
                "resume.order-follows-plan", field="training.gradient_accumulation_steps", before=mark.window_rows
            )
        progress = self.progress
        progress.updates, progress.examples, progress.targets = mark.update, mark.examples, mark.targets
        progress.tokens = mark.tokens
        progress.clock = Stopwatch(mark.seconds)
        self.evaluated_at = mark.evaluated_at
        self._window_number, self._skipped = mark.window, mark.skipped
        self._skipped_windows, self._skipped_examples = mark.skipped_windows, mark.skipped_examples
        if self.early and mark.early:
            self.early.misses, self.early.best = mark.early
        if mark.dealing and self.halves and self._same_plan(mark):
            self._dealing = Dealing(*mark.dealing)
        return mark

    def _digest(self) -> None:
        """Of what no checkpoint holds; nothing of a stream, nor of the rows that are taken from its beginning."""
        self._data_digest = digest_of_rows(self.train_dataset)
        self._evaluation_digest = self._data_digest and digest_of_rows(self.eval_dataset or ())
        self._frozen_digest = digest_of_frozen(self.model)

    def _same_plan(self, mark: Mark) -> bool:
        plan = (self._train_batch_size, self.args.gradient_accumulation_steps, self.ranks.size)
        return plan == (mark.micro_batch, mark.steps, mark.processes)

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
        rows, window, whole = len(self.train_dataset), self.window_rows, self._whole
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
                own[name].copy_(laid_out(value, own[name]))

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
