"""`birikim compare`: a table to read, and JSON for a program."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from engine.cli import app
from tests.engine.compared_runs import FACTS, config, trained
from tests.engine.store_runs import open_store

LOSSES = [2.0, 1.5, 1.0, 0.75, 0.5]


def compare(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", *arguments, "--home", str(home)])


def make(home: Path) -> None:
    with open_store(home) as store:
        for seed in (1, 2):
            trained(store, LOSSES, settings=config(training__seed=seed), evaluations=[0.25])
        other = config(training__per_device_train_batch_size=4, training__gradient_accumulation_steps=8)
        trained(store, LOSSES, settings=other, facts={**FACTS, "device": "NVIDIA H200"})


def test_json_is_one_object_with_figures_differences_groups_and_marks(tmp_path: Path) -> None:
    make(tmp_path)
    found = compare(tmp_path, "3", "1", "2", "--below", "1.0", "--json")
    assert found.exit_code == 0, found.output
    [told] = map(json.loads, found.stdout.splitlines())
    assert [each["run"] for each in told["runs"]] == [3, 1, 2]
    assert [each["reached"]["update"] for each in told["runs"]] == [3, 3, 3]
    assert {each["key"]: each["values"] for each in told["differences"]}["training.seed"] == [1, 1, 2]
    assert told["groups"][0]["runs"] == [1, 2]
    assert [mark["code"] for mark in told["marks"]] == ["compare.device"]
    assert "curves" not in told


def test_a_person_reads_a_line_a_run_and_what_is_unfair(tmp_path: Path) -> None:
    make(tmp_path)
    found = compare(tmp_path, "1", "2", "3", "--metric", "eval_loss", "--below", "0.3")
    assert found.exit_code == 0, found.output
    head, first, _, third, *rest = found.stdout.splitlines()
    assert "eval_loss ≤ 0.3 at update" in head
    # after 5 updates of 32 examples with 96 targets, half a second each
    assert first.split() == ["1", "tiny-llama", "·", "sums", "8", "×", "4", "=", "32", "finished", "5", "480", "2.5",
                             "0.5", "0.25", "192", "1000", "B", "5", "480", "2.5"]  # fmt: skip
    assert third.split()[-3:] == ["–", "–", "–"]
    text = "\n".join(rest)
    assert "median over the updates after the warm-up: the first 3, or the first 10% where that is more" in text
    assert "training.seed                         1      2      1" in text
    assert "loss 0.5 ± 0 (standard deviation of 2 runs)" in text
    assert "! The runs were made on different devices (1, 2: CPU · 3: NVIDIA H200)." in text


def test_the_batch_of_several_processes_counts_them(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        trained(store, LOSSES, settings=config())
        trained(store, LOSSES, settings=config(launch={"processes": 2}))
        trained(store, LOSSES, settings=config(launch={"processes": 1}))
    found = compare(tmp_path, "1", "2")
    _, alone, several, *_ = found.stdout.splitlines()
    assert "8 × 4 = 32 " in alone and "8 × 4 × 2 = 64 " in several
    [told] = map(json.loads, compare(tmp_path, "1", "2", "--json").stdout.splitlines())
    assert json.loads(compare(tmp_path, "1", "3", "--json").stdout)["differences"] == []
    keys = {each["key"]: each["values"] for each in told["differences"]}
    assert keys["plan.processes"] == [1, 2] and keys["launch.processes"] == [1, 2]


def test_what_can_t_be_compared_is_one_line_and_exit_2(tmp_path: Path) -> None:
    make(tmp_path)
    for arguments, word in ((["7"], "7"), ([*map(str, range(1, 14))], "12"), (["1", "--below", "nan"], "below")):
        found = compare(tmp_path, *arguments)
        assert found.exit_code == 2 and found.stdout == "", arguments
        assert word in found.stderr
