"""`birikim memory`: a window's peak and its parts, predicted and measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.cli import app

CONFIG = """
model: tiny-bert
task: text-classification
data: {name: sentiment, max_length: 32}
training: {per_device_train_batch_size: 4, gradient_accumulation_steps: 2, max_steps: 2, use_cpu: true}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "first.yaml"
    file.write_text(CONFIG)
    return file


def memory(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["memory", *(str(each) for each in arguments)])


def test_a_prediction_is_one_object_and_writes_nothing(config: Path, tmp_path: Path) -> None:
    done = memory(config, "--json", "--home", tmp_path / "home")
    assert done.exit_code == 0, done.stderr
    (told,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert told["measured"] is False
    assert list(told)[:3] == ["peak_bytes", "parts", "measured"]
    assert list(told["parts"]) == ["weights", "gradients", "optimizer", "activations", "other"]
    assert sum(told["parts"].values()) == told["peak_bytes"]
    assert told["moment"]["phase"] in ("forward", "backward", "update")
    assert told["largest"] and "trace" not in told
    assert (told["micro_batch"], told["steps"], told["length"], told["device"]) == (4, 2, 32, "cpu")
    assert not (tmp_path / "home").exists()


def test_a_measurement_follows_its_prediction(config: Path, tmp_path: Path) -> None:
    done = memory(config, "--json", "--measure", "--home", tmp_path / "home")
    assert done.exit_code == 0, done.stderr
    predicted, measured = [json.loads(line) for line in done.stdout.splitlines()]
    assert (predicted["measured"], measured["measured"]) == (False, True)
    assert predicted["peak_bytes"] == pytest.approx(measured["peak_bytes"], rel=0.01)


def test_in_words_the_parts_the_moment_and_what_is_not_seen(config: Path) -> None:
    done = memory(config, "--device", "cuda", "--set", "training.bf16=true")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "4 × 2 rows of 32 tokens, 2.0 M parameters (2.0 M trained), on cuda"
    assert [line.split()[0] for line in lines[2:8]] == [
        "weights", "gradients", "optimizer", "activations", "other", "peak",
    ]  # fmt: skip
    assert "The peak is in the " in done.stdout
    assert "its context, usually 0.3 to 0.6 GiB" in done.stdout


def test_another_device_than_this_one_can_t_be_measured(config: Path) -> None:
    done = memory(config, "--device", "mps", "--measure")
    assert done.exit_code == 2
    assert done.stderr.startswith("birikim: “--device” can't be mps")


def test_a_wrong_config_is_one_line_and_status_2(config: Path) -> None:
    done = memory(config, "--set", "model=owner/never-fetched")
    assert done.exit_code == 2
    assert done.stderr.startswith("birikim: There is no model “owner/never-fetched”")
    assert len(done.stderr.splitlines()) == 1
