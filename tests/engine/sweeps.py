"""A session that trains nothing and says what a run would, and programs over it that die when they are told to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.accumulation import Plan
from engine.config import NoiseRequest, RunConfig, SweepSpec
from engine.errors import StoreError
from engine.events import ResultGrew, RunPlanned, StateChanged
from engine.store import Run, Store
from engine.sweep.claims import Claims
from engine.sweep.driver import Driver
from engine.sweep.study import Studies, Study
from tests.engine.store_runs import evaluation, update

SUMS: dict[str, Any] = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32},
    "training": {
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 2,
        "max_steps": 10,
        "learning_rate": 1e-3,
        "eval_strategy": "steps",
        "eval_steps": 1,
        "use_cpu": True,
    },
}


def sums(**training: Any) -> RunConfig:
    return RunConfig.from_dict({**SUMS, "training": {**SUMS["training"], **training}})


def spec(fields: dict[str, Any], **values: Any) -> SweepSpec:
    return SweepSpec.from_dict({"fields": fields, **values})


def loss_of(config: RunConfig, number: int) -> float:
    """After `number` updates: least for a learning rate of 1e-3, and falling."""
    return abs(math.log10(config.setting("learning_rate") / 1e-3)) + config.micro_batch / 100 + 1 / number


class Rehearsal:
    """Stands in for a session: a run is done, to its last word, when it is submitted."""

    closing = False

    def __init__(self, store: Store, ends: Callable[[RunConfig], str] = lambda config: "finished") -> None:
        self.store = store
        self.ends = ends
        self.submitted: list[str] = []
        self.predicted: int | None = 5000
        self.predictions: Any = None

    def submit(self, config: RunConfig, name: str = "", *, own_code: bool = False) -> int:
        self.submitted.append(name)
        total = int(config.setting("max_steps"))
        run = self.store.create_run(config.to_dict(), name=name)
        self.store.write(
            RunPlanned(run=run, plan=Plan.of(config, 320).to_dict(), facts={"predicted_bytes": self.predicted})
        )
        self.store.write(StateChanged(run=run, state="running", activity="training"))
        for number in range(1, total + 1):
            self.store.write(update(run, number, loss=loss_of(config, number)))
            if config.setting("eval_strategy") != "no":
                self.store.write(evaluation(run, number, loss=loss_of(config, number)))
        end: Any = self.ends(config)
        self.store.write(StateChanged(run=run, state=end, code=f"run.{end}", message=end))
        self.store.flush()
        return run

    def estimate(self, config: RunConfig, request: NoiseRequest, name: str = "") -> int:
        """Finds that the noise is worth 40 examples, and nothing in a window of more than 100 rows."""
        run = self.store.create_run(config.to_dict(), name=name, kind="noise", request=request.to_dict())
        if config.micro_batch * config.accumulation_steps <= 100:
            self.store.write(ResultGrew(run=run, values={"windows": request.windows, "scale": 40.0}))
        self.store.write(StateChanged(run=run, state="finished", code="noise.finished"))
        self.store.flush()
        return run

    def command(self, run: int, command: str) -> None:
        """It has ended already."""

    def wait(self, run: int, timeout: float) -> Run:
        return self.store.run(run)


class Died(StoreError):
    """In place of kill -9: nothing that a program has begun is ended by it."""

    def __init__(self) -> None:
        super().__init__("store.closed")


class Mortal:
    """A storage whose program dies before its `last`-th write, and writes nothing afterwards."""

    def __init__(self, storage: Any, last: int) -> None:
        self._storage = storage
        self._left = last

    def write(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Died

    @property
    def dead(self) -> bool:
        return self._left < 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._storage, name)
        if not name.startswith(("set_", "create_")):
            return found

        def write(*arguments: Any, **named: Any) -> Any:
            self.write()
            return found(*arguments, **named)

        return write


class MortalClaims(Claims):
    """Claims of the same program."""

    body: Mortal

    def claim(self, worker: str, task: int) -> bool:
        self.body.write()
        return super().claim(worker, task)

    def leave(self, worker: str) -> None:
        self._living.discard(worker)
        self.body.write()
        super().leave(worker)


class Program:
    """One program that works on the study of a home until it is done or dies; `alive` holds the owners that live."""

    def __init__(
        self, studies: Studies, name: str, store: Store, owner: str, alive: set[str], *, last: int = 10**9
    ) -> None:
        self.session = Rehearsal(store)
        self.study: Study = studies.study(name)
        self.body = Mortal(self.study._storage, last)
        self.study._storage = self.body  # type: ignore[assignment]
        claims = MortalClaims(studies.engine, name, owner=owner, place="here", lives=lambda token: token in alive)
        claims.body = self.body
        alive.add(owner)
        self.claims, self.owner, self.alive = claims, owner, alive
        session: Any = self.session
        space = self.study.space()
        self.driver = Driver(session, store, self.study, space, claims, place="here", own_code=False)

    def end(self) -> None:
        """Waits until it is done, or has died."""
        self.driver.join(60)
        assert not self.driver.alive
        if self.body.dead:
            self.alive.discard(self.owner)


def table(studies: Studies, name: str) -> list[tuple[Any, ...]]:
    """The trials of a study, without what depends on the clock."""
    study = studies.study(name)
    return [
        (trial.number, trial.values, trial.shares, trial.outcome and (trial.outcome.state, trial.outcome.value),
         trial.outcome and trial.outcome.updates)
        for trial in study.trials(study.space())
    ]  # fmt: skip
