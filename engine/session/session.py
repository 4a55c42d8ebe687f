"""One background thread that drains a queue of runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from engine.attempt import Attempts, Tryable, tryable
from engine.checks import check
from engine.config import AttemptRequest, MemoryRequest, NoiseRequest, ProofRequest, RunConfig
from engine.errors import RunError, StoreError
from engine.events import ALIVE, COMMANDS, Command, Kind, Notice, StateChanged
from engine.memory.service import Predictions
from engine.previews.service import Previews
from engine.session.control import Control
from engine.session.failure import failed
from engine.session.loading import load
from engine.session.resuming import check_config, check_resumable, find
from engine.store import Run, Store

Execute = Callable[[Run, Store, Control, Predictions | None], None]

MOST_QUEUED = 100
"""Works that wait or are under way; who sends one after another without end is told."""

POLL = 0.25
"""Seconds between looks at the commands that another process left for a run of ours."""


JOIN = 0.1
"""Seconds between looks at whether a thread has ended."""


class Session:
    """Runs what is submitted, one run after another: two Trainers in one process would share random state."""

    def __init__(self, store: Store, *, predicts: bool = False) -> None:
        """`predicts`: each training run is told the peak that its window is predicted to have."""
        self.store = store
        self.predictions = Predictions(store.home / "cache")
        self.attempts = Attempts(store.home)
        self.previews = Previews(store.home / "cache")
        self._predicts = predicts
        self._wake = threading.Condition()
        self._controls: dict[int, Control] = {}
        self._closing = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="birikim-session", daemon=True)
        self._listener = threading.Thread(target=self._listen, name="birikim-commands", daemon=True)

    def start(self) -> None:
        """Starts the threads; the training libraries load there, so that a page need not wait for them."""
        self._thread.start()
        self._listener.start()

    def submit(self, config: RunConfig, name: str = "", *, own_code: bool = False) -> int:
        """Queues a run and returns its id at once. `own_code`: it may name Python files to be run.

        Raises:
            ConfigError: what can be told wrong without loading anything that takes long.
        """
        check(config, own_code=own_code)
        return self._created("train", config, name)

    def resume(
        self, run: int, config: RunConfig | None = None, from_update: int | None = None, *, own_code: bool = False
    ) -> int:
        """Queues a run that has ended again: it goes on from its last whole checkpoint, or that after `from_update`.

        Without `config` with the one that it had; another one may change the plan, the length, and what is done between
        updates. What was told of later updates is taken back when it goes on. Returns the run's id at once.

        Raises:
            StoreError: there is no such run or checkpoint, or the run is under way, here or in another program.
            ConfigError: as `submit`, and for a setting that can't be another one on the way.
        """
        found = self.store.run(run)
        check_resumable(found)
        chosen = find(self.store, found, from_update)
        config = config or RunConfig.from_dict(found.config)
        check_config(found, chosen.mark, config)
        check(config, own_code=own_code)
        request = {"update": chosen.checkpoint.update, "torn": [values for _, values in chosen.notices]}
        settings = config.to_dict()

        def again() -> int:
            self.store.queue_again(run, settings, request)
            return run

        return self._queued(again)

    def prove(self, config: RunConfig, request: ProofRequest, name: str = "") -> int:
        """Queues a proof of `config`'s window and returns its id at once; it takes its turn with the runs.

        A proof is one process: the window of several is proved with the micro-batches of all.

        Raises:
            ConfigError: as `submit`, and for plans that are not of the run's window.
        """
        check(config)
        alone = config.in_one_process()
        request.plans_for(alone)
        return self._created("proof", alone, name, request.to_dict())

    def measure(self, config: RunConfig, request: MemoryRequest, name: str = "") -> int:
        """Queues real windows under a ledger and returns the run's id at once; they take their turn with the runs.

        Raises ConfigError as `submit`.
        """
        check(config)
        return self._created("memory", config, name, request.to_dict())

    def estimate(self, config: RunConfig, request: NoiseRequest, name: str = "") -> int:
        """Queues an estimate of the gradient noise and returns the run's id at once; it takes its turn with the runs.

        Raises ConfigError as `submit`, and for windows of one micro-batch.
        """
        check(config)
        alone = config.in_one_process()
        request.check(alone)
        return self._created("noise", alone, name, request.to_dict())

    def count(self, config: RunConfig, name: str = "") -> int:
        """Queues a count of the targets of `config`'s first window and returns the run's id at once.

        Raises ConfigError as `submit`.
        """
        check(config)
        return self._created("count", config.in_one_process(), name)

    def predict(
        self, config: RunConfig, *, micro_batches: tuple[int, ...] = (), device: str | None = None
    ) -> dict[str, Any]:
        """The memory of `config`'s window on each device, and of the same rows in other micro-batches.

        Answers at once: `state` is working (ask again), done (`account` and `curve`) or failed (`code`, `message`,
        `remedy`). `device` is a type, cpu or cuda; None is the one that is here. Raises ConfigError as `submit`.
        """
        check(config)
        return self.predictions.predict(config, micro_batches, device)

    def fit(self, config: RunConfig, *, effective: int, budget_bytes: int, device: str | None = None) -> dict[str, Any]:
        """The largest micro-batch in a budget whose product with its steps and the processes is `effective`; answers as
        `predict`. The budget is each device's."""
        check(config)
        return self.predictions.fit(config, effective, budget_bytes, device)

    def tryable(self, run: int) -> Tryable:
        """What can be asked of the model that `run` has left. Raises StoreError: it is under way, or has left none."""
        return tryable(self.store.home, self.store.run(run))

    def attempt(self, run: int, request: AttemptRequest) -> dict[str, Any]:
        """What the model that `run` has left says of a text, in a process of its own; answers as `predict`.

        `kind` tells what was found: `text`, `got` with `scores`, `fillings` or `words`. Raises StoreError as `tryable`.
        """
        return self.attempts.attempt(self.store.run(run), request)

    def preview(self, config: RunConfig) -> dict[str, Any]:
        """What `config`'s data looks like, as `engine.previews.preview` tells it; answers at once, as `predict`.

        A file that has changed is looked at anew.
        """
        return self.previews.preview(config)

    def command(self, run: int, command: Command) -> None:
        """Passes a command on to a run, of this process or of another one on the same home.

        Raises:
            StoreError: there is no such run or command, the run has ended, or a replay of one that is not watched step
                by step was asked for.
        """
        if command not in COMMANDS:
            raise StoreError("session.no-command", command=command, commands=", ".join(COMMANDS))
        state = self.store.run(run).state
        if state not in ALIVE:
            raise StoreError("session.ended", run=run, state=state)
        control = self._controls.get(run)
        if control is None:
            self.store.send(run, command)
        else:
            self._apply(run, control, command)

    def wait(self, run: int, timeout: float) -> Run:
        """The run once it has ended, or as it is after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while (found := self.store.run(run)).state in ALIVE and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    @property
    def closing(self) -> bool:
        """Whether `close` was called: what stops from then on was stopped by it, and by nobody."""
        return self._closing

    def close(self, timeout: float = 60.0, *, nothing_to_save: float | None = None) -> None:
        """Stops the current run as Stop does, drops the queued ones, and ends the threads. Idempotent.

        It waits up to `timeout` seconds for them; where no training is under way, which would lose its last updates,
        up to `nothing_to_save`: the training libraries may be loading, or a model. A run that goes on all the same is
        told as stopped.
        """
        began = time.monotonic()
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._over.set()
        for run, control in list(self._controls.items()):
            self._apply(run, control, "stop")
        self.predictions.close()
        self.attempts.close()
        self.previews.close()
        threads = [thread for thread in (self._thread, self._listener) if thread.is_alive()]
        while any(thread.is_alive() for thread in threads):
            most = timeout if nothing_to_save is None or self._is_training() else nothing_to_save
            if time.monotonic() - began > most:
                self._leave_run()
                return
            for thread in threads:
                thread.join(JOIN)

    def _is_training(self) -> bool:
        run = self.store.at_work()
        return run is not None and run.kind == "train" and run.state in ("running", "paused")

    def _leave_run(self) -> None:
        if run := self.store.at_work():
            self.store.write(StateChanged(run=run.id, state="stopped", code="run.stopped"))
            self.store.flush()

    def _created(self, kind: Kind, config: RunConfig, name: str, request: dict[str, Any] | None = None) -> int:
        return self._queued(lambda: self.store.create_run(config.to_dict(), name=name, kind=kind, request=request))

    def _queued(self, make: Callable[[], int]) -> int:
        with self._wake:
            if len(self._controls) >= MOST_QUEUED:
                raise StoreError("session.full", most=MOST_QUEUED)
            run = make()
            self._controls[run] = Control()
            self._wake.notify_all()
        return run

    def _apply(self, run: int, control: Control, command: Command) -> None:
        if command == "replay" and not control.stepping:
            raise StoreError("session.not-stepping", run=run)
        control.post(command)
        # a queued run has no loop to meet the command in
        if command == "stop" and self.store.run(run).state == "queued":
            self.store.write(StateChanged(run=run, state="stopped", code="run.stopped"))
            self.store.flush()
            self._controls.pop(run, None)

    def _work(self) -> None:
        execute = _runner()
        while (run := self._next()) is not None:
            control = self._controls.setdefault(run.id, Control())
            try:
                execute(run, self.store, control, self.predictions if self._predicts else None)
            except StoreError:
                # not even the closing word could be written; the next run may find space
                time.sleep(POLL)
            self._controls.pop(run.id, None)

    def _next(self) -> Run | None:
        with self._wake:
            while not self._closing:
                if run := self.store.next_queued():
                    return run
                self._wake.wait(timeout=5.0)
        return None

    def _listen(self) -> None:
        while not self._over.wait(POLL):
            for run, control in list(self._controls.items()):
                with suppress(StoreError):
                    for command in self.store.take_commands(run):
                        self._obey(run, control, command)

    def _obey(self, run: int, control: Control, command: Command) -> None:
        """Whoever has sent it from another program finds a refusal among the run's notices."""
        try:
            self._apply(run, control, command)
        except StoreError as refusal:
            self.store.write(Notice(run=run, code=refusal.code, message=refusal.line, values=refusal.values))


def _runner() -> Execute:
    """What executes a run; where the training libraries don't load, what says so of each run instead."""
    try:
        execute: Execute = load("engine.session.execute").execute
        return execute
    except Exception as problem:
        fault = RunError("session.no-libraries", problem=f"{type(problem).__name__}: {problem}")

    def refuse(run: Run, store: Store, control: Control, predictions: Predictions | None) -> None:
        store.write(failed(run.id, fault))
        store.flush()

    return refuse
