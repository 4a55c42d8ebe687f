"""Sweeps of real programs: killed at random moments and begun again, and two of them on one study."""

from __future__ import annotations

import json
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from engine import ALIVE, Store
from tests.programs import Program, running

pytestmark = pytest.mark.slow

CONFIG = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32, eval_rows: 16}
training:
  per_device_train_batch_size: 2
  gradient_accumulation_steps: 2
  max_steps: 12
  learning_rate: 1e-3
  eval_strategy: steps
  eval_steps: 3
  use_cpu: true
sweep:
"""

TPE = """
  method: tpe
  trials: 6
  fields:
    training.learning_rate: {from: 1e-4, to: 1, log: true}
    training.per_device_train_batch_size: [1, 2, 4]
  effective_batch: 4
  prune: true
"""

GRID = """
  fields:
    training.learning_rate: [1e-3, 1e-2, 1e30]
    effective_batch: [4, 8]
"""


def sweep(config: Path, home: Path, *options: str) -> tuple[str, ...]:
    return ("-m", "engine", "sweep", str(config), "--home", str(home), "--json", *options)


def done(program: Program) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a program said of its trials, in order, and its result."""
    assert program.wait(900) == 0, program.told()
    *trials, result = map(json.loads, program.lines)
    return sorted(trials, key=lambda trial: trial["trial"]), result


def losses(home: Path, trials: list[dict[str, Any]]) -> list[list[tuple[int, float]]]:
    """Of each trial's run the losses of its updates and evaluations; of a pruned one those before it could be told."""
    store = Store(home)
    try:
        found = []
        for trial in trials:
            rows = [*store.updates(trial["run"]), *store.evaluations(trial["run"])]
            # how far a run comes before it hears that it is pruned depends on the clock
            known = [row for row in rows if trial["state"] != "pruned" or row["update"] <= 3]
            found.append([(row["update"], row["loss"]) for row in known])
        return found
    finally:
        store.close()


MEASURED = ("run", "peak_bytes", "predicted_bytes", "targets_per_second")
"""What differs from one program to the next: the number of a run, memory and time."""


def table(trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in trial.items() if name not in MEASURED} for trial in trials]


def wait_for_a_run(program: Program, home: Path, trial: int = 0, update: int = 0) -> None:
    """Until the run of a trial has come to an update, or to its end; or the program has ended."""
    store = Store(home)
    try:
        deadline = time.monotonic() + 400
        while time.monotonic() < deadline and program.process.poll() is None:
            found = [run for run in store.runs() if run.name.endswith(f"/{trial:04d}")]
            if any(run.state == "finished" or (run.state in ALIVE and run.update >= update) for run in found):
                return
            time.sleep(0.02)
    finally:
        store.close()


@pytest.mark.timeout(1200)
def test_a_sweep_that_is_killed_at_random_moments_and_begun_again_equals_one_that_never_was(tmp_path: Path) -> None:
    config = tmp_path / "sums.yaml"
    config.write_text(CONFIG + TPE)
    with running(*sweep(config, tmp_path / "whole")) as program:
        right, result = done(program)
    assert result["state"] == "done" and {trial["state"] for trial in right} >= {"finished", "pruned"}
    home, moments = tmp_path / "killed", random.Random(7)
    # one while the program begins, then in trials further and further on
    for trial in (None, 0, 1, 3):
        with running(*sweep(config, home)) as program:
            if trial is not None:
                wait_for_a_run(program, home, trial, moments.randint(0, 12))
            time.sleep(moments.uniform(0, 1))
            program.process.kill()
            program.wait(30)
    with running(*sweep(config, home)) as program:
        found, again = done(program)
    assert table(found) == table(right)
    assert losses(home, found) == losses(tmp_path / "whole", right)
    assert (again["best"], again["best_value"], again["trials"]) == (result["best"], result["best_value"], len(right))
    store = Store(home)
    broken = [run.name for run in store.runs() if run.state == "interrupted"]
    finished = [run.name for run in store.runs() if run.state == "finished"]
    store.close()
    # what was cut off is kept and says so, and what was done was done once
    assert broken and len(finished) == len(set(finished))


@pytest.mark.timeout(1200)
def test_two_workers_share_a_study_without_a_trial_twice_and_one_goes_on_where_the_other_is_killed(
    tmp_path: Path,
) -> None:
    config, home = tmp_path / "sums.yaml", tmp_path / "home"
    config.write_text(CONFIG + GRID)
    with running(*sweep(config, home, "--worker")) as one, running(*sweep(config, home, "--worker")) as other:
        wait_for_a_run(one, home)
        with running(*sweep(config, home)) as third:
            # who does not say --worker is told that others are at it
            assert third.wait(300) == 2 and "--worker" in third.told()
        trials, result = done(one)
        again, result_again = done(other)
    assert (trials, result["best_value"]) == (again, result_again["best_value"])
    assert [trial["trial"] for trial in trials] == list(range(6))
    assert [trial["state"] for trial in trials] == [*["finished"] * 4, "failed", "failed"]
    store = Store(home)
    names = sorted(run.name for run in store.runs())
    store.close()
    assert names == [f"sweep/{result['study']}/{number:04d}" for number in range(6)]


@pytest.mark.timeout(1200)
def test_a_worker_takes_over_the_trial_of_another_that_was_killed(tmp_path: Path) -> None:
    config, home = tmp_path / "sums.yaml", tmp_path / "home"
    config.write_text(CONFIG + GRID)
    with running(*sweep(config, home, "--worker")) as one:
        wait_for_a_run(one, home)
        with running(*sweep(config, home, "--worker")) as other:
            one.process.kill()
            one.wait(30)
            trials, result = done(other)
    assert [trial["state"] for trial in trials] == [*["finished"] * 4, "failed", "failed"]
    assert result["state"] == "done"


@pytest.mark.timeout(1200)
def test_a_signal_leaves_the_sweep_and_the_same_command_goes_on_with_it(tmp_path: Path) -> None:
    config, home = tmp_path / "sums.yaml", tmp_path / "home"
    config.write_text(CONFIG + GRID)
    with running(*sweep(config, home)) as program:
        program.wait_for_line('{"trial": 0', 400)
        program.process.send_signal(signal.SIGINT)
        assert program.wait(300) == 0, program.told()
    left = json.loads(program.lines[-1])
    assert (left["state"], left["best"]) == ("stopped", {"training.learning_rate": 1e-3, "effective_batch": 4})
    assert 1 <= left["trials"] < 6
    with running(*sweep(config, home)) as program:
        _, result = done(program)
    assert (result["state"], result["trials"], result["study"]) == ("done", 6, left["study"])
    assert result["best"] == {"training.learning_rate": 1e-2, "effective_batch": 8}
