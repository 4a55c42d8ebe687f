"""The command line: what it prints, and with which exit status it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from engine import Store
from engine.cli import app
from tests.programs import ROOT, running

SUMS = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32}
training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 2, max_steps: 3, learning_rate: 1e-3}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "first.yaml"
    file.write_text(SUMS)
    return file


def birikim(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_help_names_the_commands_and_loads_no_heavy_library() -> None:
    code = (
        "import sys; sys.argv = ['birikim', '--help']\n"
        "from engine.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "sys.exit(bool({'torch', 'transformers', 'gradio', 'datasets'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0
    for command in ("train", "runs", "ui"):
        assert command in found.stdout


def test_python_minus_m_engine_is_the_same_program(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "engine", "train", str(tmp_path / "absent.yaml")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1
    assert "absent.yaml" in found.stderr


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("model=tiny-lama", ["model", "tiny-lama"]),
        ("model=./nowhere", ["model", "nowhere"]),
        ("task=text-generashun", ["task", "text-generashun", "text-generation"]),
        ("data.name=sumz", ["data.name", "sumz", "sums"]),
        ("data={path: absent.csv}", ["data.path", "absent.csv"]),
        ("data={path: ROWS, text: body}", ["data.text", "body"]),
        ("training.per_device_train_batch_size=0", ["training.per_device_train_batch_size", "0"]),
        ("training.learning_rate=-1", ["training.learning_rate", "-1"]),
        ("training.xyzzy=1", ["training.xyzzy"]),
        ("training.max_steps", ["KEY=VALUE"]),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_wrong_config_is_one_line_on_standard_error_and_exit_status_two(
    config: Path, tmp_path: Path, override: str, words: list[str], as_json: bool
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("text,label\nhello,a\n")
    options = ["--json"] if as_json else []
    found = birikim(
        "train", config, "--home", tmp_path / "home", "--set", override.replace("ROWS", str(rows)), *options
    )
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1
    for word in words:
        assert word in found.stderr


def test_a_home_that_is_no_folder_is_told(config: Path, tmp_path: Path) -> None:
    found = birikim("train", config, "--home", config)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1


@pytest.mark.slow
def test_with_json_every_update_is_an_object_and_the_result_is_the_last(config: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = birikim("train", config, "--home", home, "--json", "--set", "training.eval_strategy=epoch")
    assert found.exit_code == 0, found.output
    *updates, result = objects(found.stdout)
    assert [each["update"] for each in updates] == [1, 2, 3]
    for each in updates:
        assert set(each) == {
            "update",
            "epoch",
            "loss",
            "grad_norm",
            "learning_rate",
            "examples",
            "targets",
            "seconds",
        }
        assert each["examples"] == 2 * 2
    assert "update" not in result
    assert (result["state"], result["updates"]) == ("finished", 3)
    # as the Trainer's own: the mean over updates
    assert result["train_loss"] == pytest.approx(sum(each["loss"] for each in updates) / 3)
    assert result["eval_loss"] > 0
    assert (home / "runs" / str(result["run"]) / "model" / "config.json").is_file()

    listed = objects(birikim("runs", "--home", home, "--json").stdout)[-1]["runs"]
    assert [(each["run"], each["name"], each["state"]) for each in listed] == [(result["run"], "first", "finished")]
    assert "finished" in birikim("runs", "--home", home).stdout


@pytest.mark.slow
def test_without_a_terminal_the_arithmetic_and_some_updates_are_lines(config: Path, tmp_path: Path) -> None:
    found = birikim("train", config, "--home", tmp_path / "home", "--set", "training.max_steps=60")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert any("2 × 2 × 1 device = 4 examples an update" in line for line in lines)
    updates = [line.split()[1] for line in lines if line.startswith("update ")]
    # every third of 60, and the first
    assert updates == ["1", *(str(number) for number in range(3, 61, 3))]
    assert lines[-1].startswith("run 1 finished after 60 updates")


@pytest.mark.slow
def test_a_run_that_fails_after_it_began_ends_with_status_one_and_a_reason(config: Path, tmp_path: Path) -> None:
    found = birikim("train", config, "--home", tmp_path / "home", "--json", "--set", "training.learning_rate=1e30")
    assert found.exit_code == 1
    assert objects(found.stdout)[-1]["state"] == "failed"
    assert found.stderr.count("\n") == 1
    assert "not a number" in found.stderr


@pytest.mark.slow
def test_what_is_wrong_in_the_config_but_shows_only_at_load_ends_with_status_two(config: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("text\nhello there\ngood morning\n")
    found = birikim(
        *("train", config, "--home", tmp_path / "home", "--json"),
        *("--set", f"data={{path: {rows}}}", "--set", "training.dataloader_drop_last=true"),
        *("--set", "training.per_device_train_batch_size=8"),
    )
    assert found.exit_code == 2, found.output
    assert objects(found.stdout)[-1]["state"] == "failed"
    assert "training.per_device_train_batch_size" in found.stderr


def train_long(config: Path, home: Path) -> tuple[str, ...]:
    return (
        *("-m", "engine", "train", str(config), "--home", str(home), "--json"),
        *("--set", "training.max_steps=100000"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_as_stop_does_and_the_model_is_kept(
    config: Path, tmp_path: Path, number: signal.Signals
) -> None:
    home = tmp_path / "home"
    with running(*train_long(config, home)) as program:
        program.wait_for_line('{"update": 2')
        program.process.send_signal(number)
        assert program.wait(60) == 0, program.told()
    result = json.loads(program.lines[-1])
    assert result["state"] == "stopped"
    assert result["updates"] == json.loads(program.lines[-2])["update"]
    assert (home / "runs" / "1" / "model" / "config.json").is_file()


@pytest.mark.slow
def test_a_second_signal_leaves_at_once_and_the_run_is_shown_as_interrupted(config: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(*train_long(config, home)) as program:
        program.wait_for_line('{"update": 2')
        for number in (signal.SIGINT, signal.SIGTERM):
            program.process.send_signal(number)
        assert program.wait(60) == 1, program.told()
    assert json.loads(program.lines[-1])["state"] == "interrupted"
    store = Store(home)
    try:
        assert store.run(1).state == "interrupted"
    finally:
        store.close()
