"""One worker of a study: claims a trial, lets its run go its way in the session, tells how it ended, and so on."""

from __future__ import annotations

import math
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.accumulation import Plan
from engine.config import NoiseRequest, RunConfig
from engine.errors import WORDING, BirikimError, ConfigError, StoreError
from engine.events import ALIVE
from engine.place import device_of
from engine.session.failure import told_of
from engine.session.predicting import as_dealt
from engine.store import Run, Store
from engine.sweep.claims import LAYING_OUT, NOISE, Claims
from engine.sweep.drawing import draw, stops
from engine.sweep.naming import noise_name, run_name
from engine.sweep.outcome import Outcome, Share, measured, outcome_of, shares
from engine.sweep.space import Space
from engine.sweep.study import FAULT, NOISE_FOUND, Study

if TYPE_CHECKING:
    from engine.session import Session

LOOK = 0.1
"""Seconds between looks at the store."""
BEAT = 1.0
"""Seconds between signs of life, which are looks for a stop too."""

FORETELLING = 60.0
"""Seconds that a trial which has ended waits for what its memory is predicted to be."""
TOLD = ("code", "message", "remedy", "values")

WINDOWS = 8
"""Over which the gradient noise is averaged."""
LEAST_STEPS = 4
"""Micro-batches of a window whose noise is estimated, where the config has one alone."""
SOURCE = "McCandlish et al. 2018, An Empirical Model of Large-Batch Training, arXiv:1812.06162"


class _Leaving(Exception):
    """The sweep is stopped, or the program ends: what is under way is nobody's."""


class Driver:
    """Drives a study in a thread of its own until all its trials have ended or it is to leave."""

    def __init__(
        self, session: Session, store: Store, study: Study, space: Space, claims: Claims, *, place: str, own_code: bool
    ) -> None:
        self.study = study
        self._session = session
        self._store = store
        self._space = space
        self._claims = claims
        self._place = place
        self._own_code = own_code
        self._leaves = threading.Event()
        self._worker = claims.enter()
        self._beaten = 0.0
        self._thread = threading.Thread(target=self._drive, name="birikim-sweep", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def leave(self) -> None:
        """Ends it soon; returns at once."""
        self._leaves.set()

    def join(self, timeout: float) -> None:
        self._thread.join(timeout)

    # ---- in the thread ----

    def _drive(self) -> None:
        try:
            self._claims.clear_away()
            self._lay_out()
            if self._space.spec.noise:
                self._estimate()
            while self._next_trial():
                pass
        except _Leaving:
            pass
        except Exception as problem:
            self._tell_fault(problem)
        finally:
            # where the database can't be written, the lock of this program tells
            with suppress(Exception):
                self._claims.leave(self._worker)

    def _tell_fault(self, problem: Exception) -> None:
        if self._session.closing:
            return
        told = told_of(problem)
        fault = {"code": told.code, "message": told.message, "remedy": told.remedy, "values": _plain(told)}
        with suppress(StoreError):
            self.study.note(FAULT, fault)

    def _lay_out(self) -> None:
        while not self.study.laid_out(self._space.planned):
            if self._claims.claim(self._worker, LAYING_OUT):
                self.study.lay_out(self._space.planned)
            else:
                self._rest(LOOK)

    def _next_trial(self) -> bool:
        """Does one trial, or waits a while for those of others; False once all have ended."""
        left = [trial.number for trial in self.study.trials(self._space) if trial.outcome is None]
        held = self._claims.held()
        for number in left:
            if number not in held and self._claims.claim(self._worker, number):
                # another may have done it since we looked
                if self.study.trial(self._space, number).outcome is None:
                    self._try(number)
                return True
        if left:
            self._rest(BEAT / 2)
        return bool(left)

    # ---- one trial ----

    def _try(self, number: int) -> None:
        self.study.check_contents(self._space)
        began = time.monotonic()
        trials, held = self.study.trials(self._space), self._claims.held()
        past = [each.past(running=each.number in held) for each in trials if each.number != number]
        values = trials[number].values or draw(self._space, number, past)
        self.study.begin(self._space, number, values)
        try:
            config = self._space.config_of(values)
            run = self._run_of(number, config)
        except ConfigError as wrong:
            outcome = Outcome("failed", None, wrong.code, wrong.message, wrong.remedy, _plain(wrong))
        else:
            outcome = self._foretold(run, config, self._followed(number, run))
        self.study.tell(number, replace(outcome, took=time.monotonic() - began))

    def _run_of(self, number: int, config: RunConfig) -> int:
        """The run of a trial: that of a program that died before it could tell its end, else a new one."""
        name = run_name(self.study.name, number)
        run_id = next((run.id for run in self._store.newest([name]) if self._serves(run, config)), None)
        if run_id is None:
            run_id = self._queued(config, name)
        self.study.set_run(number, self._place, run_id)
        return run_id

    def _serves(self, run: Run, config: RunConfig) -> bool:
        """Whether it is this study's, and has come to its own end: another of the same name may have been there."""
        ours = run.config == config.to_dict() and run.created >= self.study.created
        return ours and run.state in ("finished", "failed")

    def _queued(self, config: RunConfig, name: str) -> int:
        while True:
            try:
                return self._session.submit(config, name, own_code=self._own_code)
            except StoreError as full:
                if full.code != "session.full":
                    raise
            self._rest(BEAT)

    def _followed(self, number: int, run_id: int) -> Outcome:
        known: dict[int, float] = {}
        pruned: Share | None = None
        while True:
            run = self._store.run(run_id)
            ended = run.state not in ALIVE
            if self._space.spec.prune and pruned is None and run.plan:
                pruned = self._pruned(number, run, known)
                if pruned and not ended:
                    self._stop(run_id)
            if ended:
                break
            try:
                self._rest(LOOK)
            except _Leaving:
                self._stop(run_id)
                self._session.wait(run_id, 30)
                raise
        if pruned:
            value = pruned.loss if math.isfinite(pruned.loss) else None
            return Outcome("pruned", value, **measured(self._store, run, pruned.update))
        if run.state == "stopped" and self._session.closing:
            raise _Leaving
        return outcome_of(self._store, run, self._space.metric)

    def _pruned(self, number: int, run: Run, known: dict[int, float]) -> Share | None:
        """Where a trial is to stop: decided part by part, as if it were asked after each, however far it is by now."""
        new = list(shares(self._store, run, self._space.metric, known))
        if not new:
            return None
        others = [each.past(running=False) for each in self.study.trials(self._space) if each.number != number]
        for share in new:
            known[share.number] = share.loss
            self.study.report(number, share.number, share.loss)
            if stops(others, known):
                return share
        return None

    def _stop(self, run_id: int) -> None:
        # it may have ended meanwhile
        with suppress(StoreError):
            self._session.command(run_id, "stop")

    def _foretold(self, run_id: int, config: RunConfig, outcome: Outcome) -> Outcome:
        """With what its window was predicted to take, or why nobody knows: a short run is over before that is."""
        run = self._store.run(run_id)
        if not run.plan or outcome.predicted_bytes is not None:
            return outcome
        asked = as_dealt(config, Plan.from_dict(run.plan))
        until = time.monotonic() + FORETELLING
        while (found := self._session.predictions.predict(asked, device=device_of(asked).type))["state"] == "working":
            if time.monotonic() > until:
                message, remedy = WORDING["sweep.not-predicted"]
                found = {"code": "sweep.not-predicted", "message": message, "remedy": remedy}
                break
            self._rest(LOOK)
        if "account" in found:
            return replace(outcome, predicted_bytes=found["account"].peak_bytes)
        return replace(outcome, unpredicted={"values": {}, **{name: found[name] for name in TOLD if name in found}})

    # ---- the gradient noise ----

    def _estimate(self) -> None:
        """Estimates it once for all workers; without it the trials are tried all the same."""
        while not self.study.noted().get(NOISE_FOUND):
            if not self._claims.claim(self._worker, NOISE):
                self._rest(BEAT / 2)
                continue
            if not self.study.noted().get(NOISE_FOUND):
                self.study.note(NOISE_FOUND, self._noise())

    def _noise(self) -> dict[str, Any]:
        config, name = noise_config(self._space.base), noise_name(self.study.name)
        run_id = self._session.estimate(config, NoiseRequest(WINDOWS), name)
        while (run := self._store.run(run_id)).state in ALIVE:
            try:
                self._rest(LOOK)
            except _Leaving:
                self._stop(run_id)
                raise
        if run.state == "stopped" and self._session.closing:
            raise _Leaving
        found = self._store.result(run_id)[1] if run.state == "finished" else None
        if found:
            return {"state": "done", "run": run_id, "source": SOURCE, **found}
        code = "sweep.no-noise" if run.state == "finished" else run.code
        message = WORDING[code].message if run.state == "finished" else run.message
        return {"state": "failed", "run": run_id, "source": SOURCE, "code": code, "message": message}

    # ---- while nothing happens ----

    def _rest(self, seconds: float) -> None:
        """Waits, and gives a sign of life now and then. Raises _Leaving."""
        if self._leaves.wait(seconds) or self._session.closing:
            raise _Leaving
        if time.monotonic() - self._beaten >= BEAT:
            self._beaten = time.monotonic()
            if not self._claims.beat(self._worker):
                raise _Leaving


def noise_config(base: RunConfig) -> RunConfig:
    """The same run with its rows dealt at random: of sorted or grouped ones a micro-batch is no random draw."""
    values = base.to_dict()
    training = {key: value for key, value in values["training"].items() if key != "train_sampling_strategy"}
    if base.accumulation_steps < 2:
        training["gradient_accumulation_steps"] = LEAST_STEPS
    values.pop("micro_batch_tokens", None)
    return RunConfig.from_dict({**values, "training": training, "window_order": "random"})


def _plain(error: BirikimError) -> dict[str, Any]:
    return {
        name: value if isinstance(value, int | float | None) else str(value) for name, value in error.values.items()
    }
