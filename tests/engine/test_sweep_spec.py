"""What a sweep may be asked for, and what is said of what it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.config import RunConfig, SweepSpec
from engine.config.sweep import Range
from engine.errors import ConfigError

RATE = "training.learning_rate"

TEXT = """
model: minilm
task: text-classification
data: {name: sentiment}
sweep:
  method: tpe
  trials: 8
  fields:
    training.learning_rate: {from: 5e-5, to: 1e-2, log: true}
    training.gradient_accumulation_steps: [1, 4]
"""


def test_the_section_of_a_config_file_is_a_spec_and_5e_minus_5_without_a_point_a_number(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(TEXT)
    found = SweepSpec.load(file)
    assert (found.method, found.trials, found.prune, found.seed) == ("tpe", 8, False, 0)
    assert found.fields == {RATE: Range(5e-5, 1e-2, True), "training.gradient_accumulation_steps": [1, 4]}
    assert SweepSpec.load(file, ["sweep.trials=3", "sweep.seed=7"]).trials == 3
    assert SweepSpec.from_dict(found.to_dict()) == found


def test_relative_files_among_the_values_are_looked_for_beside_the_config_as_its_own_are(tmp_path: Path) -> None:
    for name in ("a.csv", "own.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "models" / "small").mkdir(parents=True)
    file = tmp_path / "a.yaml"
    file.write_text(
        """
model: minilm
task: text-classification
data: {path: a.csv}
sweep:
  fields:
    data.path: [a.csv, elsewhere.csv]
    data: [{path: a.csv, max_length: 32}, {name: sentiment}]
    model: [minilm, models/small]
    loss: [null, "own.py:loss", "no.py:loss"]
    trainer: ["own.py:Own"]
"""
    )
    assert SweepSpec.load(file).fields == {
        "data.path": [f"{tmp_path}/a.csv", "elsewhere.csv"],
        "data": [{"path": f"{tmp_path}/a.csv", "max_length": 32}, {"name": "sentiment"}],
        "model": ["minilm", f"{tmp_path}/models/small"],
        "loss": [None, f"{tmp_path}/own.py:loss", "no.py:loss"],
        "trainer": [f"{tmp_path}/own.py:Own"],
    }
    assert RunConfig.load(file).data.path == f"{tmp_path}/a.csv"


def test_the_points_of_a_range_are_those_that_a_person_would_write_down() -> None:
    assert Range(0, 0.3, step=0.1).points == [0.0, 0.1, 0.2, 0.3]
    assert Range(1, 8).points == [1, 2, 3, 4, 5, 6, 7, 8]
    assert Range(2, 9, step=3).points == [2, 5, 8]
    assert Range(1e-5, 1e-1, log=True, count=5).points == [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    assert Range(1, 64, log=True, count=7).points == [1, 2, 4, 8, 16, 32, 64]
    assert Range(1, 3, count=9).points == [1, 2, 3]
    assert Range(0.0, 1.0, count=3).points == [0.0, 0.5, 1.0]
    assert Range(1e-5, 1e-1, log=True).points is None
    assert Range(0, 1, step=0.25).nearest(0.6) == 0.5


WRONG: list[tuple[dict[str, Any] | Any, str, str]] = [
    (None, "sweep.none", "sweep"),
    ([], "sweep.none", "sweep"),
    ({}, "config.missing", "sweep.fields"),
    ({"fields": {}}, "sweep.no-fields", "sweep.fields"),
    ({"fields": [1]}, "config.mapping", "sweep.fields"),
    ({"fields": {RATE: 1e-3}}, "sweep.values", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: []}}, "sweep.no-values", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: [1, 2, 1]}}, "sweep.same-value", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: {"from": 1}}}, "sweep.half-a-range", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: {"from": 1, "to": 2, "stop": 3}}}, "config.unknown-key", f"sweep.fields.{RATE}.stop"),
    ({"fields": {RATE: {"from": 2, "to": 1}}}, "sweep.range-ends", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: {"from": "1e-5", "to": 1}}}, "config.number", f"sweep.fields.{RATE}.from"),
    ({"fields": {RATE: {"from": 0, "to": 1, "log": True}}}, "sweep.range-log", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: {"from": 1, "to": 2, "log": "yes"}}}, "config.true-or-false", f"sweep.fields.{RATE}.log"),
    ({"fields": {RATE: {"from": 1, "to": 2, "step": 1, "count": 2}}}, "sweep.range-step", f"sweep.fields.{RATE}.step"),
    ({"fields": {RATE: {"from": 1, "to": 2, "step": 0}}}, "config.above-zero", f"sweep.fields.{RATE}.step"),
    ({"fields": {RATE: {"from": 1, "to": 2, "count": 1}}}, "sweep.range-count", f"sweep.fields.{RATE}.count"),
    ({"fields": {RATE: {"from": 1, "to": 2, "count": 2.5}}}, "sweep.range-count", f"sweep.fields.{RATE}.count"),
    ({"fields": {RATE: {"from": 1.0, "to": float("inf")}}}, "config.number", f"sweep.fields.{RATE}.to"),
    ({"fields": {RATE: {"from": 0.1, "to": 1}}}, "sweep.endless", f"sweep.fields.{RATE}"),
    ({"fields": {RATE: [1]}, "method": "bayes"}, "config.choice", "sweep.method"),
    ({"fields": {RATE: [1]}, "trials": 0}, "config.at-least", "sweep.trials"),
    ({"fields": {RATE: [1]}, "trials": 10**6}, "config.at-most", "sweep.trials"),
    ({"fields": {RATE: [1]}, "trails": 3}, "config.unknown-key", "sweep.trails"),
    ({"fields": {"effective_batch": [8]}, "effective_batch": 8}, "sweep.effective-twice", "sweep.effective_batch"),
    (
        {
            "fields": {"training.per_device_train_batch_size": [1], "training.gradient_accumulation_steps": [8]},
            "effective_batch": 8,
        },
        "sweep.two-plans",
        "sweep.fields.training.gradient_accumulation_steps",
    ),
]


@pytest.mark.parametrize(("values", "code", "field"), WRONG)
def test_what_is_wrong_is_one_clear_line_that_names_its_place(values: Any, code: str, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SweepSpec.from_dict(values)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert field.removeprefix("sweep.") in caught.value.line and "\n" not in caught.value.line


def test_the_first_wrong_key_of_the_file_is_told() -> None:
    with pytest.raises(ConfigError) as caught:
        SweepSpec.from_dict({"trials": "many", "fields": {RATE: []}, "prune": 3})
    assert caught.value.field == "sweep.trials"
