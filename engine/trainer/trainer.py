"""`transformers.Trainer` with the window as its unit: exact weights, micro-batch events, pause and stop.

The stock loop gives the optimizer a step every n micro-batches by counting; it has no place for a
window without targets, for a stream whose last window is short, or for a stop between micro-batches.
So `_run_epoch`, the loop over one pass of the data, is ours; all around it is the stock Trainer's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from transformers import PrinterCallback, Trainer
from transformers.optimization import GreedyLR

from engine.accumulation import Normalization, WindowOrder, window_weights
from engine.errors import RunError
from engine.events import Event, WindowSkipped
from engine.memory.exhausted import OutOfMemory
from engine.ranks import Ranks
from engine.trainer.accumulating import Accumulating
from engine.trainer.checkpointing import Checkpointing
from engine.trainer.evaluation import EvaluationByTargets
from engine.trainer.fitting import Dealing, Fitting, Step
from engine.trainer.loading import WindowedData
from engine.trainer.progress import Progress
from engine.trainer.windows import Window

MOST_SKIPPED = 100
"""Windows in a row that fp16's scaler may skip on its way to a fitting scale; it needs some twenty."""


class AccumulatingTrainer(
    WindowedData,
    Fitting,
    Accumulating,
    EvaluationByTargets,
    Checkpointing,
    Trainer,  # type: ignore[misc]
):
    """Trains window by window and says what happens.

    Args (besides the Trainer's):
        run: the run's id, put into every event.
        emit: takes each event; called in the training thread.
        gate: called with the window's number (from 1) before each micro-batch; may wait, and may
            raise to leave the loop. `Progress.clock` is the gate's to hold while it waits.
        check: called between evaluation batches; may raise to leave the loop.
        watched: whether someone watches micro-batch by micro-batch: what is measured then costs time.
        memory_peak: the peak reading in bytes since it was last asked, or None.
        normalization: `exact` and `mean-of-means` weigh the model's own means; `trainer` is the stock behaviour.
            A custom loss, or a subclass that computes its own, is taken as transformers documents it.
        window_order, micro_batch_tokens: how the rows of a window are dealt, as `engine.accumulation.deal`.
        halves: whether a window that does not fit is done again in smaller micro-batches; what does not follow the rule
            of exact accumulation is changed by that.
        redealt: called when that has happened.
        ranks: the processes that train together, each with a trainer of the same settings; only the leader's `gate`,
            `check` and `watched` are asked.
    """

    def __init__(
        self,
        *,
        run: int,
        emit: Callable[[Event], None],
        progress: Progress,
        gate: Callable[[int], None] = lambda window: None,
        check: Callable[[], None] = lambda: None,
        watched: Callable[[], bool] = lambda: False,
        memory_peak: Callable[[], int | None] = lambda: None,
        normalization: Normalization = "exact",
        window_order: WindowOrder = "random",
        micro_batch_tokens: int | None = None,
        halves: bool = False,
        redealt: Callable[[Dealing, OutOfMemory], None] = lambda dealing, failure: None,
        ranks: Ranks | None = None,
        **trainer: Any,
    ) -> None:
        self.ranks = ranks or Ranks()
        super().__init__(**trainer)
        # a dispatcher would cut every micro-batch of a window to the rows of its first one
        self.accelerator.dataloader_config.dispatch_batches = False
        # it prints to standard output, which is a program's to read
        self.remove_callback(PrinterCallback)
        self.run = run
        self.emit = emit
        self.progress = progress
        self.gate = gate
        self.check = partial(self._check_together, check)
        self.check_alone = partial(self._check_alone, check)
        self.watched = watched
        self.memory_peak = memory_peak
        self.normalization = normalization
        self.window_order = window_order
        self.micro_batch_tokens = micro_batch_tokens
        self.halves = halves
        self.redealt = redealt
        self.documented = normalization == "exact" and self._computes_own_loss()
        if self.documented:
            # it would multiply what is divided by all items, but only where its own code computes the loss
            self.args.average_tokens_across_devices = False
        if normalization != "trainer" and not self.documented:
            self.loss_is_scaled_for_ga = True
        self._window_number = 0
        self._skipped = 0

    def _computes_own_loss(self) -> bool:
        """Whether the loss is a custom function's or a subclass's, and not the model's own mean."""
        order = type(self).__mro__
        theirs = [cls for cls in order[order.index(AccumulatingTrainer) :] if cls not in AccumulatingTrainer.__mro__]
        return self.compute_loss_func is not None or any(
            name in vars(cls) for cls in theirs for name in ("compute_loss", "training_step", "loss_is_scaled_for_ga")
        )

    def _weights(self, targets: list[int]) -> list[float]:
        if not self.documented:
            return window_weights(targets, self.normalization)
        return window_weights(targets, "exact" if self._scales_itself() else "mean-of-means")

    def _scales_itself(self) -> bool:
        """Whether a custom loss comes normalised by `num_items_in_batch`: the rule of `Trainer.training_step`."""
        said: bool | None = self.loss_is_scaled_for_ga
        return said if said is not None else self.model_accepts_loss_kwargs or self.compute_loss_func is not None

    # ---- one pass over the data ----

    def _run_epoch(
        self,
        model: torch.nn.Module,
        epoch: int,
        train_dataloader: Any,
        num_update_steps_per_epoch: int,
        trial: Any,
        ignore_keys_for_eval: list[str] | None,
        start_time: float,
        **_: Any,
    ) -> None:
        rest = self._enter_pass(epoch)
        if self._has_ended():
            self.control.should_training_stop = True
            if rest is None:
                return
        if not self.progress.clock.started:
            self.progress.clock.start()
        rows = self._window_sampler.used if self._window_sampler else None
        examples_met, windows_done = (rest.rows, rest.windows) if rest else (0, 0)
        targets_met = windows_done  # those before a resumption had some
        grad_norm: float | None = None
        learning_rate: float | None = None
        finish = partial(
            self._maybe_log_save_evaluate,
            model=model,
            trial=trial,
            epoch=epoch,
            ignore_keys_for_eval=ignore_keys_for_eval,
            start_time=start_time,
        )
        windows = self._windows(self._begin_pass(train_dataloader, epoch, examples_met, windows_done))
        while True:
            fetched_at = self.progress.clock.seconds
            window = next(windows, None)
            if rest is not None:
                # fetching drew random numbers that the run before had not drawn yet
                rest.random.restore()
                if rest.due:
                    self.control.should_evaluate, self.control.should_save = rest.due
                    finish(self._tr_loss, grad_norm, learning_rate=learning_rate)
                    self._at_rest(epoch, examples_met, windows_done)
                rest = None
            if window is None or self.control.should_training_stop:
                break
            self._window_number += 1
            self.control = self.callback_handler.on_step_begin(self.args, self.state, self.control)
            windows_done += 1
            examples_met += window.examples
            losses: list[float | None] = []
            step = None
            targets_met += window.targets
            if window.targets:
                self.ranks.begin_window(self.args.seed, self._window_number)
                share = examples_met / rows if rows else windows_done / num_update_steps_per_epoch
                self.state.epoch = epoch + share
                window, losses, step = self._done(model, window)
            self._at_rest(epoch, examples_met, windows_done)
            if step is None:
                self._skip(window)
                continue
            self._skipped = 0
            grad_norm, learning_rate = step
            self._report(window, losses, grad_norm, learning_rate, fetched_at)
            self._tell_window_seen(grad_norm, learning_rate)
            try:
                self.control = self.callback_handler.on_step_end(self.args, self.state, self.control)
            finally:
                # a callback may leave the loop, as samples do when they are stopped: what is due then still is
                if self.control.should_evaluate or self.control.should_save:
                    due = (self.control.should_evaluate, self.control.should_save)
                    self._at_rest(epoch, examples_met, windows_done, due)
            finish(self._tr_loss, grad_norm, learning_rate=learning_rate)
            self._at_rest(epoch, examples_met, windows_done)
            if self.control.should_epoch_stop or self.control.should_training_stop:
                break
        if not windows_done:
            raise RunError("run.no-rows")
        if not targets_met:
            raise RunError("run.no-targets")
        self._pass_over = window is None or self._all_met(examples_met)
        self.control = self.callback_handler.on_epoch_end(self.args, self.state, self.control)
        finish(self._tr_loss, grad_norm, learning_rate=learning_rate)
        self._pass_over = False

    def _skip(self, window: Window) -> None:
        self._skipped += 1
        if window.targets and self._skipped >= MOST_SKIPPED:
            raise RunError("run.not-finite", update=self.state.global_step + 1)
        self._skipped_windows += 1
        self._skipped_examples += window.examples
        self.emit(WindowSkipped(run=self.run, after=self.state.global_step, examples=window.examples))
        self.progress.share = 0.0

    def _check_together(self, check: Callable[[], None]) -> None:
        self.ranks.led(check)

    def _check_alone(self, check: Callable[[], None]) -> None:
        """In what the leader does alone."""
        check()
        self.ranks.waiting()

    # ---- the update ----

    def _update(self, model: torch.nn.Module, losses: list[float | None]) -> Step:
        """Clips, steps and zeroes; returns the gradient's norm and the rate, None where the scaler skipped the step.

        Raises:
            RunError: the loss or the gradient is not a number. The weights are those after the last update.
        """
        self.phase = "update"
        norm = self._clip_grad_norm(model) if self.args.max_grad_norm > 0 else None
        grad_norm = float(self._get_grad_norm(model, grad_norm=norm))
        # a gradient scaler meets infinite gradients on its way to a fitting scale, and skips them itself
        finite = math.isfinite(grad_norm) or self.accelerator.scaler is not None
        if not finite or not all(math.isfinite(loss) for loss in losses if loss is not None):
            raise RunError("run.not-finite", update=self.state.global_step + 1)
        self.control = self.callback_handler.on_pre_optimizer_step(self.args, self.state, self.control)
        with self._watched_step(None if norm is None else grad_norm):
            self._step()
        self.control = self.callback_handler.on_optimizer_step(self.args, self.state, self.control)
        learning_rate = self._get_learning_rate()
        stepped = not self.accelerator.optimizer_step_was_skipped
        if stepped:
            if not isinstance(self.lr_scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau | GreedyLR):
                self.lr_scheduler.step()
            self.state.global_step += 1
        model.zero_grad()
        self._watch_zeroing()
        return (grad_norm, learning_rate) if stepped else None
