"""A run that is cut off and goes on, beside one that never stopped, compared bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from engine.errors import RunStopped
from engine.events import EvaluationDone, UpdateDone
from tests.engine.tiny import Trained

Make = Callable[..., Trained]
"""Makes a fresh trainer that writes its checkpoints to a folder; takes `gate` besides."""

OF_THE_CLOCK = {"run", "duration", "seconds", "memory"}


def told(run: Trained) -> list[dict[str, Any]]:
    """The updates and evaluations that a run tells, but for what depends on the clock."""
    return [
        {name: value for name, value in vars(event).items() if name not in OF_THE_CLOCK}
        for event in run.events
        if isinstance(event, UpdateDone | EvaluationDone)
    ]


def same(one: Any, other: Any) -> bool:
    """Whether two values, tensors among them, are equal to the last bit."""
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def state(run: Trained) -> dict[str, Any]:
    """Weights, optimizer, schedule and random state."""
    trainer = run.trainer
    schedule = trainer.lr_scheduler.state_dict()
    return {
        "weights": dict(trainer.model.state_dict()),
        "optimizer": trainer.optimizer.state_dict(),
        "schedule": {name: value for name, value in schedule.items() if name != "lr_lambdas"},
        "random": torch.get_rng_state(),
    }


def newest(folder: Path) -> str:
    return str(max(folder.glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1])))


def before_micro_batch(number: int) -> Callable[[int], None]:
    """A gate that stops before micro-batch `number`, counted from 1 over the run."""
    met = 0

    def gate(window: int) -> None:
        nonlocal met
        met += 1
        if met == number:
            raise RunStopped("run.stopped")

    return gate


def stopped(make: Make, folder: Path, gate: Callable[[int], None], **arguments: Any) -> Trained:
    """A run that Stop has ended, with the checkpoint that it leaves."""
    run = make(folder, gate=gate, **arguments)
    with suppress(RunStopped):
        run.trainer.train()
        return run
    run.trainer.leave_checkpoint()
    return run


def gone_on(make: Make, folder: Path, **arguments: Any) -> Trained:
    run = make(folder, **arguments)
    run.trainer.train(resume_from_checkpoint=newest(folder))
    return run


def assert_goes_on(make: Make, folder: Path, number: int, whole: Trained, whole_state: dict[str, Any]) -> None:
    """A run stopped before micro-batch `number` goes on as `whole`, which was never stopped."""
    first = stopped(make, folder, before_micro_batch(number))
    done = first.trainer.state.global_step
    if done in (0, first.trainer.state.max_steps):
        assert not list(folder.glob("checkpoint-*")), "there is nothing to go on from, or nothing left to do"
        return
    second = gone_on(make, folder)
    assert told(first) + told(second) == told(whole)
    for name, value in whole_state.items():
        assert same(state(second)[name], value), name
