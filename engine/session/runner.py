"""A training run, from its config to its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

import torch

from engine.accumulation import Plan
from engine.config import reporters
from engine.errors import RunError, RunStopped, StoreError
from engine.events import Event, FactsGrew, MemorySample, RunPlanned, RunResumed, StateChanged
from engine.memory.budget import imposed
from engine.memory.exhausted import OutOfMemory, is_out_of_memory, let_go
from engine.memory.sampler import MemorySampler, Reading
from engine.memory.service import Predictions
from engine.memory.shares import held_by
from engine.proof.replay import replay
from engine.ranks import Ranks
from engine.session.control import Control
from engine.session.facts import device_name, facts_of
from engine.session.predicting import Foretold
from engine.session.reporting import Reporting
from engine.session.resuming import Resumption, find, notices_of
from engine.session.saving import save_model
from engine.session.work import Work
from engine.store import Run, Store
from engine.store.checkpoint_files import in_folder, remove_after
from engine.summary import write_card
from engine.trainer import AccumulatingTrainer, Dealing, Prepared, Progress, prepare, versions
from engine.trainer.sampling import take_samples

TOGETHER = frozenset({"run.not-finite"})
"""Failures that all processes of a run meet with at the same place."""


class Training(Work):
    """One training run, or the share of this process in it."""

    def __init__(
        self,
        run: Run,
        store: Store,
        control: Control,
        predictions: Predictions | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        super().__init__(run, store, control)
        self.predictions = predictions
        self.ranks = ranks or Ranks()
        self.progress = Progress()
        self.foretold: Foretold | None = None
        self.resumption: Resumption | None = None
        self.reporting: Reporting | None = None
        self.trainer: AccumulatingTrainer
        self.sampler: MemorySampler
        self._peak = 0
        self._planned: Plan
        self._facts: dict[str, Any]

    def emit(self, event: Event) -> None:
        super().emit(event)
        if self.reporting:
            self.reporting.hear(event)

    def do(self) -> StateChanged:
        try:
            return self._done(self._loaded())
        finally:
            if self.reporting:
                self.reporting.end()

    def _done(self, trainer: AccumulatingTrainer) -> StateChanged:
        try:
            with _explained(trainer):
                closing = self._train(trainer)
        except Exception as problem:
            # the weights are those after the last update that was done; what one process alone met with, it can't save
            shared = not self.ranks.several or getattr(problem, "code", "") in TOGETHER
            if shared and trainer.state.global_step and not trainer.torn:
                trainer.model.zero_grad(set_to_none=True)
                with suppress(Exception):
                    trainer.leave_checkpoint()
                with suppress(Exception):
                    self._save(trainer)
            raise
        self.enter("running", "saving")
        with _explained(trainer):
            if closing.state == "stopped":
                trainer.leave_checkpoint()
            trainer.phase = "saving"
            self._save(trainer)
        done = closing.state == "finished" and trainer.args.save_strategy == "no"
        if done and self.ranks.leads and in_folder(trainer.folder):
            # what an earlier Stop had left has served
            remove_after(trainer.folder, -1)
            self._tell_checkpoints(trainer)
        return closing

    def _train(self, trainer: AccumulatingTrainer) -> StateChanged:
        device = trainer.args.device
        self.enter("running", "training")
        try:
            with (
                self._predicted(device) as self.foretold,
                MemorySampler(device, self._sampled) as self.sampler,
                imposed(self.config.memory_budget_bytes, device, held_by(trainer.model)) as limit,
            ):
                trainer.memory_peak, trainer.limit = self._peak_now, limit
                trainer.evaluated_by = self._evaluated_by
                trainer.train(resume_from_checkpoint=str(self.resumption.checkpoint.path) if self.resumption else None)
                self._evaluate_at_the_end(trainer)
            self._tell_ranks(device)
            return self._finished(trainer)
        except RunStopped:
            # the window it was stopped in is discarded
            trainer.model.zero_grad(set_to_none=True)
            self._tell_ranks(device)
            return StateChanged(run=self.run.id, state="stopped", code="run.stopped")

    def _peak_now(self) -> int:
        peak = self.sampler.peak()
        self._peak = max(self._peak, peak)
        return peak

    def _tell_ranks(self, device: torch.device) -> None:
        """Fact: the processes (`ranks`), where there are several, each with its device and its peak in bytes."""
        if not self.ranks.several:
            return
        found = self.ranks.gather(
            {
                "rank": self.ranks.rank,
                "device": device_name(device),
                "peak_bytes": self._peak,
            }
        )
        self._facts["ranks"] = found
        self.emit(FactsGrew(run=self.run.id, facts={"ranks": found}))

    def _finished(self, trainer: AccumulatingTrainer) -> StateChanged:
        early = trainer.early
        if early is None or not early.over or trainer.state.global_step >= trainer.state.max_steps:
            return StateChanged(run=self.run.id, state="finished", code="run.finished")
        values = {
            "update": trainer.state.global_step,
            "metric": trainer.args.metric_for_best_model.removeprefix("eval_"),
            "best": "none" if early.best is None else f"{early.best:.4g}",
            "patience": early.spec.patience,
        }
        return StateChanged(run=self.run.id, state="finished", code="run.finished-early", values=values)

    # ---- before the first forward pass ----

    def _loaded(self) -> AccumulatingTrainer:
        try:
            return self._prepare()
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
            failure = OutOfMemory(problem, phase="loading")
            let_go(problem)
        raise failure

    def _prepare(self) -> AccumulatingTrainer:
        prepared = prepare(
            self.config,
            cache=self.store.home / "cache",
            folder=self.folder,
            enter=lambda stage: self.enter("loading", stage),
            check=self.control.check,
            run=self.run.id,
            emit=self.emit,
            progress=self.progress,
            gate=self._gate,
            watched=lambda: self.control.stepping,
            redealt=self._redealt,
            ranks=self.ranks,
        )
        take_samples(self.config, prepared, self.notice)
        trainer = self.trainer = prepared.trainer
        trainer.config = self.config.to_dict()
        trainer.notice = self.notice
        trainer.kept = partial(self._tell_checkpoints, trainer)
        if self.run.request:
            # a damaged one was passed over already when the run was queued
            self.resumption = find(self.store, self.run, self.run.request["update"])
            trainer.take_up(self.resumption.checkpoint.path)
        self.control.check()
        if self.resumption is None:
            for code, values in (*prepared.notices, *others_at_rest(trainer.args.device, self.ranks)):
                self.notice(code, **values)
        self._plan(prepared)
        if self.resumption:
            self._go_on(trainer)
        self._tell_others()
        return trainer

    def _go_on(self, trainer: AccumulatingTrainer) -> None:
        """Takes back what was told of later updates, and their checkpoints; says where the run goes on."""
        assert self.resumption and self.run.request
        mark = self.resumption.mark
        if self.ranks.leads:
            remove_after(trainer.folder, mark.update)
        skipped = {"skipped_windows": mark.skipped_windows, "skipped_examples": mark.skipped_examples}
        self.emit(RunResumed(run=self.run.id, update=mark.update, seconds=mark.seconds, **skipped))
        micro_batch, steps = self.config.micro_batch, self.config.accumulation_steps
        plan = (micro_batch, steps, self.ranks.size)
        for code, values in notices_of(mark, plan=plan, versions=versions(trainer.args.device)):
            self.notice(code, **values)
        for values in self.run.request["torn"]:
            self.notice("run.checkpoint-torn", **values)
        self._tell_checkpoints(trainer)

    def _tell_checkpoints(self, trainer: AccumulatingTrainer) -> None:
        """Facts: the updates after which there are `checkpoints`, and of these the `best_checkpoint` so far."""
        found = [each for each in in_folder(trainer.folder) if each.whole]
        facts = {
            "checkpoints": [each.update for each in found],
            "best_checkpoint": next((each.update for each in found if each.best), None),
        }
        self._facts |= facts
        self.emit(FactsGrew(run=self.run.id, facts=facts))

    def _tell_others(self) -> None:
        names = reporters(self.config.training)
        if not names or not self.ranks.leads:
            return
        self.notice("run.reports", names=", ".join(names))
        self.reporting = Reporting(
            names,
            run=self.run.id,
            folder=self.folder,
            config=self.config.to_dict(),
            failed=lambda name, reason: self.notice("run.report-failed", name=name, reason=reason),
        )

    def _predicted(self, device: torch.device) -> AbstractContextManager[Foretold | None]:
        if self.predictions is None:
            return nullcontext()
        return Foretold(self.run.id, self.config, self.store, self.predictions, device.type)

    def _plan(self, prepared: Prepared) -> None:
        trainer = prepared.trainer
        self._planned = trainer.goes_on_with(prepared.plan)
        self._facts = facts_of(prepared)
        self.emit(RunPlanned(run=self.run.id, plan=self._planned.to_dict(), facts=self._facts))

    # ---- while it trains ----

    def _gate(self, window: int) -> None:
        self.control.gate(
            window,
            held=self._held,
            released=self._released,
            resting=self.progress.clock.resting,
            replay=self._replay,
            waiting=self.ranks.waiting,
        )

    def _replay(self) -> None:
        try:
            with self.sampler.aside():
                told = replay(self.trainer, budget=self.config.memory_budget_bytes, check=self.control.check)
            self.emit(told)
        except RunError as refusal:
            self.notice(refusal.code, **refusal.values)

    def _held(self) -> None:
        self.progress.clock.hold()
        self.emit(StateChanged(run=self.run.id, state="paused", activity="training"))

    def _released(self) -> None:
        self.progress.clock.release()
        if not self.control.stop_requested:
            self.enter("running", "training")

    def _sampled(self, reading: Reading) -> None:
        if self.progress.clock.held:
            return
        # a home that can't be written ends the run in the training thread
        with suppress(StoreError):
            self.store.write(
                MemorySample(
                    run=self.run.id,
                    seconds=self.progress.clock.seconds,
                    update=self.progress.position,
                    total_examples=self.progress.examples,
                    total_targets=self.progress.targets,
                    resident=reading.resident,
                    allocated=reading.allocated,
                    reserved=reading.reserved,
                    device_used=reading.device_used,
                )
            )

    def _redealt(self, dealing: Dealing, failure: OutOfMemory) -> None:
        """Tells the plan that goes on from here, and why; the config stays as it was written."""
        before, plan = self._planned, self._planned.dealt_in(dealing.micro_batch, dealing.tokens)
        self._planned = plan
        self.emit(RunPlanned(run=self.run.id, plan=plan.to_dict(), facts=self._facts))
        if self.foretold:
            self.foretold.dealt(plan)
        values = {
            **{name: failure.values[name] for name in ("phase", "update", "requested_bytes", "budget_bytes")},
            "micro_batch": plan.micro_batch,
            "steps": plan.accumulation_steps,
            "rows": plan.effective_batch,
            "tokens": dealing.tokens,
            "before": before.micro_batch if dealing.tokens is None else before.micro_batch_tokens,
        }
        code = "run.halved-tokens" if dealing.tokens else "run.halved" if plan.window is None else "run.halved-uneven"
        self.notice(code, **values)

    def _evaluated_by(self, rows: int, failure: OutOfMemory) -> None:
        self.notice("run.evaluation-halved", rows=rows, update=failure.values["update"])

    # ---- after the last update ----

    def _evaluate_at_the_end(self, trainer: AccumulatingTrainer) -> None:
        wanted = trainer.args.eval_strategy != "no"
        if wanted and trainer.evaluated_at != trainer.state.global_step:
            trainer.evaluate()

    def _save(self, trainer: AccumulatingTrainer) -> None:
        save_model(
            trainer,
            self.folder,
            lora=self.config.lora is not None,
            write_card=lambda folder: write_card(self.store, self.run.id, folder),
        )


def others_at_rest(device: torch.device, ranks: Ranks) -> list[tuple[str, dict[str, Any]]]:
    """A notice where a run takes one GPU and there are more."""
    gpus = torch.cuda.device_count() if device.type == "cuda" else 0
    if ranks.several or gpus < 2:
        return []
    return [("run.one-gpu", {"device": str(device), "gpus": gpus})]


@contextmanager
def _explained(trainer: AccumulatingTrainer) -> Iterator[None]:
    """Memory that runs out is told by what the trainer was about; of the failed attempt nothing is held any more."""
    try:
        yield
    except Exception as problem:
        if not is_out_of_memory(problem):
            raise
        failure = trainer.out_of_memory(problem)
        let_go(problem)
    else:
        return
    raise failure from None
