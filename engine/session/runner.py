"""One run, from its config to its end."""

from __future__ import annotations

import gc
import logging
import platform
import shutil
import traceback
from contextlib import suppress
from typing import Any

import torch
import transformers
from accelerate.state import GradientState

from engine.config import RunConfig
from engine.errors import WORDING, RunStopped, StoreError
from engine.events import Activity, Event, MemorySample, MicroBatchDone, Notice, RunPlanned, State, StateChanged
from engine.memory.sampler import MemorySampler, Reading, capacity
from engine.session.control import Control
from engine.session.failure import failed
from engine.store import Run, Store
from engine.trainer import AccumulatingTrainer, Prepared, Progress, prepare

log = logging.getLogger(__name__)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def execute(run: Run, store: Store, control: Control) -> None:
    """Trains `run` and writes all that happens; nothing of it stays alive afterwards.

    Raises:
        StoreError: even the closing word could not be written.
    """
    attempt = _Attempt(run, store, control)
    closing: StateChanged
    try:
        closing = attempt.train()
    except RunStopped:
        closing = StateChanged(run=run.id, state="stopped", code="run.stopped")
    except Exception as problem:
        closing = failed(run.id, problem)
        attempt.note(traceback.format_exc())
        # its frames hold the tensors of the step that failed
        traceback.clear_frames(problem.__traceback__)
    del attempt
    _clean_device()
    store.write(closing)
    store.flush()


class _Attempt:
    """What one run needs while it is under way."""

    def __init__(self, run: Run, store: Store, control: Control) -> None:
        self.run = run
        self.store = store
        self.control = control
        self.config = RunConfig.from_dict(run.config)
        self.folder = store.home / "runs" / str(run.id)
        self.progress = Progress()

    def train(self) -> StateChanged:
        """Returns the closing event of a run that finished or was stopped; what fails is raised."""
        trainer = self._prepare()
        self._enter("running", "training")
        try:
            with MemorySampler(trainer.args.device, self._sampled) as sampler:
                trainer.memory_peak = sampler.peak
                trainer.train()
                self._evaluate_at_the_end(trainer)
            closing = StateChanged(run=self.run.id, state="finished", code="run.finished")
        except RunStopped:
            # the window it was stopped in is discarded
            trainer.model.zero_grad(set_to_none=True)
            closing = StateChanged(run=self.run.id, state="stopped", code="run.stopped")
        self._enter("running", "saving")
        self._save(trainer)
        return closing

    # ---- before the first forward pass ----

    def _prepare(self) -> AccumulatingTrainer:
        prepared = prepare(
            self.config,
            cache=self.store.home / "cache",
            folder=self.folder,
            enter=lambda stage: self._enter("loading", stage),
            check=self.control.check,
            run=self.run.id,
            emit=self._emit,
            progress=self.progress,
            gate=self._gate,
            watched=lambda: self.control.stepping,
        )
        for code, values in prepared.notices:
            self._notice(code, **values)
        self._plan(prepared)
        self.control.check()
        return prepared.trainer

    def _plan(self, prepared: Prepared) -> None:
        trainer = prepared.trainer
        model, device = trainer.model, trainer.args.device
        facts: dict[str, Any] = {
            "model_class": type(model).__name__,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "trainable": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper(),
            "threads": torch.get_num_threads(),
            "precision": trainer.accelerator.mixed_precision.replace("no", "fp32"),
            "capacity_bytes": capacity(device),
            "rows": prepared.plan.rows,
            "evaluation_rows": len(prepared.evaluation),
            "shifts_labels": prepared.shifts,
            "window_order": trainer.window_order,
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "transformers": transformers.__version__,
            },
        }
        self._emit(RunPlanned(run=self.run.id, plan=prepared.plan.to_dict(), facts=facts))

    # ---- while it trains ----

    def _gate(self, window: int) -> None:
        self.control.gate(window, held=self._held, released=self._released)

    def _held(self) -> None:
        self.progress.clock.hold()
        self._emit(StateChanged(run=self.run.id, state="paused", activity="training"))

    def _released(self) -> None:
        self.progress.clock.release()
        if not self.control.stop_requested:
            self._enter("running", "training")

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

    # ---- after the last update ----

    def _evaluate_at_the_end(self, trainer: AccumulatingTrainer) -> None:
        wanted = trainer.args.eval_strategy != "no"
        if wanted and trainer.evaluated_at != trainer.state.global_step:
            trainer.evaluate()

    def _save(self, trainer: AccumulatingTrainer) -> None:
        """Leaves `model/`, which `from_pretrained` loads; a save that is cut off leaves no half of it."""
        partial, model = self.folder / "model.partial", self.folder / "model"
        shutil.rmtree(partial, ignore_errors=True)
        trainer.accelerator.unwrap_model(trainer.model).save_pretrained(partial)
        trainer.processing_class.save_pretrained(partial)
        shutil.rmtree(model, ignore_errors=True)
        partial.rename(model)

    # ---- saying so ----

    def _emit(self, event: Event) -> None:
        self.store.write(event)
        # what was said of an update must outlive the process from here on
        if not isinstance(event, MicroBatchDone):
            self.store.flush()

    def _enter(self, state: State, activity: Activity) -> None:
        self._emit(StateChanged(run=self.run.id, state=state, activity=activity))

    def _notice(self, code: str, **values: Any) -> None:
        message, remedy = WORDING[code]
        text = f"{message} {remedy}".strip().format(**values)
        self._emit(Notice(run=self.run.id, code=code, message=text, values=values))

    def note(self, text: str) -> None:
        """Keeps a traceback beside the run, for whoever must look closer than the page does."""
        log.debug(text)
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "failure.txt").write_text(text, encoding="utf-8")


def _clean_device() -> None:
    # accelerate's singleton still points to the data of a run that was left by an exception
    GradientState._reset_state()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()
