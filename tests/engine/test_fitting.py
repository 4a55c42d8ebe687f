"""Fit on the command line, and case 11: a real step confirms the plan, and leaves everything as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner, Result

from engine import fitting
from engine.cli import app
from engine.config import RunConfig
from engine.memory.fit import Choice, Fit, fit, smaller
from engine.memory.measure import measure
from engine.memory.predict import Predictor
from engine.trainer import Prepared, Progress, prepare

CONFIG = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 64}
training: {per_device_train_batch_size: 8, gradient_accumulation_steps: 4}
"""

ROOM = 2**20
"""More steps leave more token ids lying about: less than a row takes."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "fit.yaml"
    file.write_text(CONFIG)
    return file


def peaks(config: Path, home: Path) -> dict[int, int]:
    predictor = Predictor(RunConfig.load(config), cache=home / "cache", device="cpu")
    return {rows: predictor.account(rows, 32 // rows).peak_bytes for rows in (4, 5)}


def birikim(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.mark.slow
def test_case_11_on_the_command_line_with_a_real_step(config: Path, tmp_path: Path) -> None:
    takes = peaks(config, tmp_path)
    budget = takes[5] + ROOM  # micro-batches above 5 do not fit
    found = birikim("fit", config, "--home", tmp_path, "--effective", 32, "--budget", budget, "--trial", "--json")
    assert found.exit_code == 0, found.output
    result = json.loads(found.stdout)
    assert (result["per_device_train_batch_size"], result["gradient_accumulation_steps"]) == (4, 8)
    assert result["effective"] == 32 and result["peak_bytes"] == takes[4]
    assert result["measured_bytes"] == pytest.approx(takes[4], rel=0.01)
    assert [plan["per_device_train_batch_size"] for plan in result["nearest"]] == [5, 5]


def state_of(prepared: Prepared) -> list[torch.Tensor]:
    """Copies of all that training goes on from."""
    trainer = prepared.trainer
    assert trainer.optimizer is not None
    moments = [
        value
        for state in trainer.optimizer.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor)
    ]
    found = [*trainer.model.parameters(), *trainer.model.buffers(), *moments, torch.get_rng_state()]
    return [tensor.detach().clone() for tensor in found]


@pytest.mark.slow
def test_case_11_leaves_weights_optimizer_and_random_state_bit_identical(config: Path, tmp_path: Path) -> None:
    prepared = prepare(
        RunConfig.load(config, ["training.max_steps=2"]),
        cache=tmp_path / "cache", folder=tmp_path, run=0, emit=lambda event: None, progress=Progress(),
    )  # fmt: skip
    prepared.trainer.train()  # so that the optimizer has a state to lose
    order = list(prepared.trainer.get_train_dataloader().batch_sampler)
    before = state_of(prepared)

    def peak(rows: int) -> int:
        return measure(prepared, rows, 32 // rows).peak_bytes

    budget = peak(5) + ROOM
    assert fit(peak, effective=32, budget_bytes=budget).choice == Choice(4, 8, 32, peak(4))
    after = state_of(prepared)
    assert len(before) == len(after) > 20
    assert all(torch.equal(mine, other) for mine, other in zip(before, after, strict=True))
    assert all(parameter.grad is None for parameter in prepared.trainer.model.parameters())
    assert list(prepared.trainer.get_train_dataloader().batch_sampler) == order


@pytest.mark.slow
def test_a_step_that_fails_gives_way_to_the_next_smaller_plan(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[int, int]] = []

    def tight(prepared: Prepared, micro_batch: int, steps: int, **_: Any) -> Any:
        tried.append((micro_batch, steps))
        if micro_batch > 8:
            raise torch.OutOfMemoryError("CUDA out of memory")
        account = measure(prepared, micro_batch, steps)
        return account if micro_batch < 8 else type("Account", (), {"peak_bytes": 10**15})

    monkeypatch.setattr(fitting, "measure", tight)
    found = birikim("fit", config, "--home", tmp_path, "--effective", 32, "--trial", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["per_device_train_batch_size"] == 4
    assert tried == [(32, 1), (16, 2), (8, 4), (4, 8)]


def test_smaller_plans_keep_the_product() -> None:
    found = Fit(12, 100, Choice(6, 2, 12, 60), (), 10)
    assert list(smaller(found, lambda rows: rows * 10)) == [
        Choice(6, 2, 12, 60), Choice(4, 3, 12, 40), Choice(3, 4, 12, 30), Choice(2, 6, 12, 20), Choice(1, 12, 12, 10)
    ]  # fmt: skip
    assert list(smaller(Fit(12, 5, None, (), 10), lambda rows: rows)) == []


@pytest.mark.slow
def test_in_words_with_the_nearest_plans(config: Path, tmp_path: Path) -> None:
    found = birikim("fit", config, "--home", tmp_path, "--effective", 59, "--budget", peaks(config, tmp_path)[5] + ROOM)
    assert found.exit_code == 0, found.output
    first, *rest = found.output.splitlines()
    assert first.startswith("1 × 59 = 59 examples an update: ") and first.endswith("predicted")
    assert any(line.strip().startswith("5 × 12 = 60 examples an update: ") for line in rest)


@pytest.mark.slow
def test_the_budget_is_of_each_device_and_the_effective_batch_of_all(config: Path, tmp_path: Path) -> None:
    two = ("--set", "launch.processes=2", "--set", "device=cpu", "--home", tmp_path)
    predictor = Predictor(RunConfig.load(config), cache=tmp_path / "cache", device="cpu")
    budget = predictor.account(4, 4).peak_bytes + ROOM  # of each process 16 rows: 4 × 4
    found = birikim("fit", config, *two, "--effective", 32, "--budget", budget, "--json")
    assert found.exit_code == 0, found.output
    result = json.loads(found.stdout)
    assert (result["per_device_train_batch_size"], result["gradient_accumulation_steps"]) == (4, 4)
    assert (result["effective"], result["peak_bytes"]) == (32, budget - ROOM)
    said = birikim("fit", config, *two, "--effective", 32, "--budget", budget).output.splitlines()[0]
    assert said.startswith("4 × 4 × 2 devices = 32 examples an update: ") and "on each device" in said
    # without --effective it is the config's, 8 × 4 on each of both
    assert json.loads(birikim("fit", config, *two, "--budget", "8GiB", "--json").stdout)["effective"] == 64


@pytest.mark.parametrize(
    "options, said",
    [
        (["--budget", "1MB"], "Not even one row"),
        (["--budget", "nonsense"], "“nonsense” is no memory budget"),
        (["--budget", "-3GiB"], "no memory budget"),
        (["--effective", "0"], "--effective"),
        (["--set", "model=nowhere"], "nowhere"),
    ],
)
def test_what_can_t_be_is_one_line_and_status_two(options: list[str], said: str, config: Path, tmp_path: Path) -> None:
    found = birikim("fit", config, "--home", tmp_path, *options)
    assert found.exit_code == 2
    assert said in found.stderr and "Traceback" not in found.output


@pytest.mark.slow
def test_a_card_is_a_budget_on_cuda(config: Path, tmp_path: Path) -> None:
    found = birikim("fit", config, "--home", tmp_path, "--budget", "rtx-4090", "--json")
    result = json.loads(found.stdout)
    assert result["budget_bytes"] == 24 * 2**30 and result["per_device_train_batch_size"] == 32
    assert result["measured_bytes"] is None
