"""Runs that are trained in this process and exported, and their scripts in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import RunConfig, Session, Store, take_away

SUMS = {"name": "sums", "max_length": 32, "eval_rows": 8}

TRAINING: dict[str, Any] = {
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 4,
    "learning_rate": 1e-3,
    "max_steps": 4,
    "seed": 7,
    "use_cpu": True,
}


def config(*, training: dict[str, Any] | None = None, **keys: Any) -> RunConfig:
    """Four updates of 2 × 4 rows of the smallest language model, but for what is given."""
    return RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": "text-generation",
            "data": SUMS,
            **keys,
            "training": {**TRAINING, **(training or {})},
        }
    )


OF_THE_CLOCK = {"runtime", "samples_per_second", "steps_per_second"}


@dataclass
class Home:
    """A store with a session that trains in this process."""

    store: Store
    session: Session

    def trained(self, chosen: RunConfig) -> int:
        run = self.session.submit(chosen, own_code=True)
        end = self.session.wait(run, 240)
        assert end.state == "finished", end.message
        return run

    def losses(self, run: int) -> list[float]:
        return [update["loss"] for update in self.store.updates(run)]

    def evaluations(self, run: int) -> list[dict[str, float]]:
        """Loss and metrics of each evaluation."""
        return [{"loss": each["loss"], **each["metrics"]} for each in self.store.evaluations(run)]

    def exported(self, run: int, kind: str = "script", **options: Any) -> Path:
        return take_away(self.store, run, kind, own_code=True, **options)


@contextmanager
def opened(folder: Path) -> Iterator[Home]:
    store = Store(folder)
    session = Session(store)
    session.start()
    try:
        yield Home(store, session)
    finally:
        session.close()
        store.close()


Told = Callable[[Path], list[dict[str, Any]]]
"""What an exported script prints, an object a line."""


def told_alone(path: Path) -> list[dict[str, Any]]:
    """By a script in a program of its own, as a person runs it: elsewhere, where it finds no Birikim."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        capture_output=True,
        text=True,
        cwd=path.parent,
        env=_elsewhere(),
        timeout=280,
    )
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


@contextmanager
def telling() -> Iterator[Told]:
    """As `told_alone`, in processes that have the libraries loaded already: that takes longer than the script."""
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("run_scripts.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_elsewhere()
    ) as program:
        assert program.stdin and program.stdout

        def told(path: Path) -> list[dict[str, Any]]:
            print(path, file=program.stdin, flush=True)
            status = program.stdout.readline()  # type: ignore[union-attr]
            assert status == "0\n", path.with_suffix(".complained").read_text()
            return [json.loads(line) for line in path.with_suffix(".printed").read_text().splitlines()]

        yield told


def _elsewhere() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def same(lines: list[dict[str, Any]], losses: list[float]) -> None:
    """Whether the script's losses are the run's to 1e-6 relative, and it says so itself."""
    assert [line["loss"] for line in lines if "loss" in line] == pytest.approx(losses, rel=1e-6)
    assert lines[-1]["updates"] == len(losses)
    assert next(value for name, value in lines[-1].items() if name.startswith("largest_difference")) <= 1e-6


def same_evaluations(lines: list[dict[str, Any]], evaluations: list[dict[str, float]]) -> None:
    """Whether the script's evaluations have the loss and the metrics of the run's, by the same names."""
    found = [line for line in lines if "eval_loss" in line]
    assert len(found) == len(evaluations)
    for line, expected in zip(found, evaluations, strict=True):
        told = {name.removeprefix("eval_"): value for name, value in line.items() if name.startswith("eval_")}
        metrics = {name: value for name, value in told.items() if name not in OF_THE_CLOCK}
        assert metrics == pytest.approx(expected, rel=1e-5)
