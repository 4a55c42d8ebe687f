"""Which combinations a sweep tries, what each becomes, and what keeps the plan true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

import engine.datasets
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.sweep.checking import check_examples, check_space
from engine.sweep.presets import presets
from engine.sweep.space import Space
from tests.engine.sweeps import spec, sums

PROCESSES = "launch.processes"
RATE, MICRO, STEPS = (
    "training.learning_rate",
    "training.per_device_train_batch_size",
    "training.gradient_accumulation_steps",
)


def space(fields: dict[str, Any], base: RunConfig | None = None, **values: Any) -> Space:
    return Space(base or sums(), spec(fields, **values))


def plan(config: RunConfig) -> tuple[int, int]:
    return config.micro_batch, config.accumulation_steps


def refused(fields: dict[str, Any], **values: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        check_space(space(fields, **values))
    return caught.value


def test_a_grid_holds_every_combination_once_and_its_last_field_changes_first() -> None:
    found = space({RATE: [1e-4, 1e-3], "lora": [None, {"r": 4}], "effective_batch": [4]})
    assert found.planned == 4
    assert [(values[RATE], values["lora"]) for values in found.points] == [
        (1e-4, None), (1e-4, {"r": 4}), (1e-3, None), (1e-3, {"r": 4})
    ]  # fmt: skip
    assert found.config_of(found.points[1]).lora is not None


def test_with_the_effective_batch_fixed_the_steps_follow_from_the_micro_batch_or_the_other_way_round() -> None:
    found = space({MICRO: [1, 4, 16, 64]}, effective_batch=64)
    assert [plan(found.config_of(values)) for values in found.points] == [(1, 64), (4, 16), (16, 4), (64, 1)]
    found = space({STEPS: [1, 4]}, effective_batch=64)
    assert [plan(found.config_of(values)) for values in found.points] == [(64, 1), (16, 4)]
    # a sweep of anything else keeps it too
    assert plan((found := space({RATE: [1e-3]}, effective_batch=64)).config_of(found.points[0])) == (2, 32)


def test_a_micro_batch_that_does_not_divide_the_effective_batch_is_told_before_the_start() -> None:
    wrong = refused({MICRO: [4, 6, 10, 16]}, effective_batch=64)
    assert (wrong.code, wrong.values["count"]) == ("sweep.cannot-divide", 2)
    assert "per_device_train_batch_size 6" in wrong.message and "leave_out" in wrong.remedy
    found = space({MICRO: [4, 6, 10, 16], RATE: [1e-3, 1e-2]}, effective_batch=64, leave_out=True)
    assert found.left_out == [{MICRO: 6}, {MICRO: 10}]
    assert [values[MICRO] for values in found.points] == [4, 4, 16, 16]
    assert refused({MICRO: [6, 10]}, effective_batch=64, leave_out=True).code == "sweep.nothing-left"
    # the config's own micro-batch of 2
    assert refused({RATE: [1e-3]}, effective_batch=7).code == "sweep.nothing-left"


@pytest.mark.parametrize("method", ["grid", "random", "tpe"])
def test_where_nothing_makes_the_effective_batch_every_method_says_so(method: str) -> None:
    # 7 is no multiple of 2 or 4, nor of the config's own micro-batch of 2
    assert refused({MICRO: [2, 4]}, method=method, effective_batch=7, leave_out=True).code == "sweep.nothing-left"
    if method != "grid":
        rates = {RATE: {"from": 1e-5, "to": 1e-3}}
        for fields in ({MICRO: [2, 4], **rates}, rates):
            assert refused(fields, method=method, effective_batch=7, leave_out=True).code == "sweep.nothing-left"


def test_with_the_effective_batch_fixed_the_steps_are_those_of_each_process() -> None:
    two = RunConfig.from_dict({**sums().to_dict(), "launch": {"processes": 2}})
    found = space({MICRO: [1, 4, 16, 64]}, base=two, effective_batch=64, leave_out=True)
    # 64 / micro-batch / 2 processes; 64 rows a micro-batch would make 128
    assert [plan(found.config_of(values)) for values in found.points] == [(1, 32), (4, 8), (16, 2)]
    assert found.left_out == [{MICRO: 64}]
    assert {each["effective_batch"] for each in found.plans()} == {64}


def test_the_number_of_processes_is_a_field_and_the_steps_follow_from_it() -> None:
    found = space({PROCESSES: [1, 2, 4], RATE: [1e-3, 1e-4]}, effective_batch=64, learning_rate_scaling="linear")
    assert found.planned == 6
    made = [found.config_of(values) for values in found.points]
    assert [(each.processes, each.accumulation_steps) for each in made[::2]] == [(1, 32), (2, 16), (4, 8)]
    # 64 rows an update where the config has 4, in every one of them
    assert [each.setting("learning_rate") for each in made[::2]] == pytest.approx([16e-3] * 3)
    assert found.learning_rate_of({PROCESSES: 4, RATE: 1e-3}) == pytest.approx(16e-3)
    uneven = refused({PROCESSES: [1, 3]}, effective_batch=64)
    assert uneven.code == "sweep.cannot-divide"


@pytest.mark.parametrize("key", ["launch", "launch.accelerate_config"])
def test_a_file_that_says_the_processes_is_no_field(key: str) -> None:
    fault = refused({key: ["a.yaml"]})
    assert fault.field == f"sweep.fields.{key}" and PROCESSES in fault.remedy


def test_several_effective_batches_leave_out_only_the_pairs_that_do_not_divide() -> None:
    found = space({MICRO: [2, 3], "effective_batch": [4, 6]}, leave_out=True)
    assert found.left_out == [{MICRO: 3, "effective_batch": 4}]
    assert [plan(found.config_of(values)) for values in found.points] == [(2, 2), (2, 3), (3, 2)]


@given(
    micro=some.lists(some.integers(1, 32), min_size=1, max_size=6, unique=True),
    effective=some.lists(some.integers(1, 64), min_size=1, max_size=4, unique=True),
)
def test_whatever_is_listed_every_trial_has_the_effective_batch_that_it_says(
    micro: list[int], effective: list[int]
) -> None:
    able = [(m, e) for e in effective for m in micro if e % m == 0]
    fields = {"effective_batch": effective, MICRO: micro}
    if not able:
        assert refused(fields, leave_out=True).code == "sweep.nothing-left"
        return
    found = space(fields, leave_out=True)
    assert [(values[MICRO], values["effective_batch"]) for values in found.points] == able
    assert found.planned + len(found.left_out) == len(micro) * len(effective)
    for values in found.points:
        rows, steps = plan(found.config_of(values))
        assert rows == values[MICRO] and rows * steps == values["effective_batch"]


@pytest.mark.parametrize(
    ("rule", "rates"), [("none", (1, 1, 1)), ("linear", (0.5, 1, 4)), ("square-root", (2**-0.5, 1, 2))]
)
def test_the_learning_rate_follows_the_effective_batch_from_that_of_the_config(
    rule: str, rates: tuple[float, ...]
) -> None:
    # the config has 2 × 2 = 4 examples an update: half, as many, four times as many
    found = space({"effective_batch": [2, 4, 16]}, learning_rate_scaling=rule)
    learned = [found.config_of(values).setting("learning_rate") for values in found.points]
    assert learned == pytest.approx([1e-3 * times for times in rates])
    # the rate of the table is what the config's effective batch would have
    both = space({"effective_batch": [16], RATE: [1e-4]}, learning_rate_scaling=rule)
    assert both.config_of(both.points[0]).setting("learning_rate") == pytest.approx(1e-4 * rates[2])


def test_trials_of_as_many_examples_have_fewer_updates_where_an_update_holds_more() -> None:
    base = sums(max_steps=40, warmup_steps=4, eval_steps=10, logging_steps=0.1)
    found = space({"effective_batch": [2, 4, 16, 160]}, base, length="examples")
    check_space(found)
    lengths = [found.config_of(values).training for values in found.points]
    # 40 × 4 = 160 examples
    assert [each["max_steps"] for each in lengths] == [80, 40, 10, 1]
    assert [each["warmup_steps"] for each in lengths] == [8, 4, 1, 1]
    # a quarter of the way each
    assert [each["eval_steps"] for each in lengths] == [20, 10, 2, 1]
    assert {each["logging_steps"] for each in lengths} == {0.1}
    same = space({"effective_batch": [2, 16]}, base)
    assert [same.config_of(values).setting("max_steps") for values in same.points] == [40, 40]


def test_examples_that_do_not_come_out_even_are_told_with_the_nearest_length_that_does() -> None:
    base = sums(per_device_train_batch_size=8, gradient_accumulation_steps=1, max_steps=6)
    batches = {"effective_batch": [16, 32, 128]}

    def wrong(fields: dict[str, Any], **values: Any) -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            check_space(space(fields, base, length="examples", **values))
        assert caught.value.code == "sweep.uneven-examples"
        return caught.value

    # 6 × 8 = 48 examples are three updates of 16, and one and a half of 32; 128 holds 16 of the config's updates
    told = wrong(batches)
    assert (told.field, told.values["batch"], told.values["examples"]) == ("training.max_steps", 32, 48)
    assert told.values["near"] == "16"
    # without 128: multiples of 4, of which 4 and 8 are the nearest to 6
    assert wrong({"effective_batch": [16, 32]}).values["near"] == "4 / 8"
    assert wrong(batches, updates=40).field == "sweep.updates"
    assert wrong(batches, updates=40).values["near"] == "32 / 48"
    assert wrong({MICRO: {"from": 1, "to": 6}}, method="random").values["batch"] == 5
    assert wrong({"training.max_steps": [8, 10], "effective_batch": [32]}).values["examples"] == 80
    even = space(batches, base, length="examples", updates=48)
    check_space(even)
    assert [even.config_of(values).setting("max_steps") for values in even.points] == [24, 12, 3]
    # epochs hold the same examples, whatever an update does
    check_space(space(batches, sums(max_steps=-1, num_train_epochs=1), length="examples"))


@pytest.mark.parametrize("key", ["training.max_steps", "training.num_train_epochs"])
def test_a_length_that_is_fixed_is_no_field(key: str) -> None:
    wrong = refused({key: [2, 4]}, updates=4)
    assert (wrong.code, wrong.field) == ("sweep.length-twice", f"sweep.fields.{key}")
    assert "updates" in wrong.message


@pytest.mark.parametrize(
    ("key", "values"),
    [
        (MICRO, [4, 4.0]),
        ("effective_batch", [4, 8, 4.0]),
        ("training.weight_decay", [1, 1.0]),
        ("data.max_length", [32, 32.0]),
        ("lora", [None, {"r": 4}, {"r": 4.0}]),
    ],
)
def test_a_value_that_is_written_in_two_ways_is_there_twice(key: str, values: list[Any]) -> None:
    wrong = refused({key: values})
    assert (wrong.code, wrong.field) == ("sweep.same-value", f"sweep.fields.{key}")
    check_space(space({"lora": [None, {"r": 4}], "training.eval_steps": [1, 2, 0.5]}))


def test_a_sweep_of_short_runs_warms_up_and_evaluates_in_proportion() -> None:
    found = space({RATE: [1e-3]}, sums(max_steps=400, warmup_steps=40, eval_steps=100), updates=20)
    training = found.config_of(found.points[0]).training
    assert (training["max_steps"], training["warmup_steps"], training["eval_steps"]) == (20, 2, 5)


def epochs(file: Path | None = None, **training: Any) -> RunConfig:
    """Two epochs over 40 rows and one to evaluate, in windows of 2 × 2: 20 updates."""
    plain = sums(max_steps=-1, num_train_epochs=2, **training).to_dict()
    if file is not None:
        file.write_text("text\n" + "".join(f"row {number}\n" for number in range(41)))
        plain["data"] = {"path": str(file), "eval_rows": 1, "max_length": 32}
    return RunConfig.from_dict(plain)


def test_a_sweep_of_short_runs_of_epochs_warms_up_and_evaluates_in_proportion_to_their_updates(tmp_path: Path) -> None:
    base = epochs(tmp_path / "rows.csv", warmup_steps=10, eval_steps=5, eval_delay=10, save_steps=0.5)
    found = space({RATE: [1e-3]}, base, updates=4)
    training = found.config_of(found.points[0]).training
    # 4 of 20: a fifth
    assert {key: training[key] for key in ("max_steps", "warmup_steps", "eval_steps", "eval_delay", "save_steps")} == {
        "max_steps": 4, "warmup_steps": 2, "eval_steps": 1, "eval_delay": 2, "save_steps": 0.5
    }  # fmt: skip
    # windows of 8: a whole run has 10 updates, all of them warming up
    found = space({"effective_batch": [8]}, base, updates=4)
    assert found.config_of(found.points[0]).training["warmup_steps"] == 4
    # as many examples as 4 × 4, in 2 updates of 8, half of them, as of 20, warming up
    found = space({"effective_batch": [8]}, base, updates=4, length="examples")
    training = found.config_of(found.points[0]).training
    assert (training["max_steps"], training["warmup_steps"]) == (2, 1)


def test_a_delay_that_counts_epochs_stays_as_it_is() -> None:
    found = space({RATE: [1e-3]}, sums(max_steps=40, eval_strategy="epoch", eval_delay=2), updates=20)
    assert found.config_of(found.points[0]).training["eval_delay"] == 2


def test_where_nobody_knows_how_many_updates_the_epochs_make_short_runs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.datasets, "QUICK_BYTES", 10)
    base = epochs(tmp_path / "rows.csv", warmup_steps=10)
    with pytest.raises(ConfigError) as caught:
        check_space(space({RATE: [1e-3]}, base, updates=4))
    assert (caught.value.code, caught.value.field) == ("sweep.unknown-length", "sweep.updates")
    assert "warmup_steps, eval_steps" in caught.value.message and "max_steps" in caught.value.remedy
    # where nothing is counted in updates there is nothing to know
    plain = {**base.to_dict(), "training": {"num_train_epochs": 2, "eval_strategy": "no"}}
    check_space(space({RATE: [1e-3]}, RunConfig.from_dict(plain), updates=4))


def test_a_range_holds_whole_numbers_where_the_field_counts_and_others_where_it_measures() -> None:
    fields = {
        RATE: {"from": 1e-5, "to": 1, "log": True},
        MICRO: {"from": 1, "to": 8},
        "training.num_train_epochs": {"from": 1, "to": 3},
        "lora.r": {"from": 2, "to": 16},
        "lora.dropout": {"from": 0, "to": 0.5},
    }
    found = space(fields, method="random")
    assert {key: each["integer"] for key, each in found.to_dict().items()} == {
        RATE: False, MICRO: True, "training.num_train_epochs": False, "lora.r": True, "lora.dropout": False
    }  # fmt: skip
    assert refused({MICRO: {"from": 1, "to": 8.5}}, method="random").code == "sweep.whole-field"
    assert refused({"training.bf16": {"from": 0, "to": 1}}, method="random").code == "sweep.no-number"
    assert found.planned == 12


def test_where_there_are_fewer_combinations_than_trials_each_is_tried_once() -> None:
    assert space({RATE: [1e-3, 1e-2], MICRO: [1, 2]}, method="random").planned == 4
    # 0, 0.1, 0.2 and 0.3, with two micro-batches
    steps = {"training.weight_decay": {"from": 0.0, "to": 0.3, "step": 0.1}}
    assert space({**steps, MICRO: [1, 2]}, method="random").planned == 8
    assert space({MICRO: {"from": 1, "to": 8}}, method="tpe", effective_batch=8, leave_out=True).planned == 4
    assert refused({RATE: {"from": 1e-6, "to": 1, "count": 1000}, MICRO: [1, 2]}).code == "sweep.too-many"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({RATE: [1e-3, -1]}, RATE),
        ({RATE: {"from": -1, "to": 1}}, RATE),
        ({"training.learning_rat": [1]}, "training.learning_rat"),
        ({"model": ["tiny-llama", "tiny-lama"]}, "model"),
        ({"data.name": ["sums", "sumz"]}, "data.name"),
        ({"effective_batch": [0, 4]}, "effective_batch"),
        ({"effective_batch": ["many"]}, "effective_batch"),
        ({MICRO: ["8"]}, MICRO),
        ({"sweep.trials": [1, 2]}, "sweep.trials"),
        ({"loss": ["my.py:loss"]}, "loss"),
        ({"training.optim": ["adamw_torch", "adamw_8bit"]}, "training.optim"),
    ],
)
def test_every_value_is_looked_at_before_anything_starts(fields: dict[str, Any], field: str) -> None:
    method = "random" if any(isinstance(values, dict) for values in fields.values()) else "grid"
    wrong = refused(fields, method=method)
    assert wrong.field is not None and wrong.field.endswith(field)


def test_what_all_trials_evaluate_is_judged_by_it_and_else_by_the_training_loss() -> None:
    assert space({RATE: [1e-3]}).metric == "eval_loss"
    assert space({RATE: [1e-3]}, sums(eval_strategy="no")).metric == "loss"
    assert space({"training.eval_strategy": ["no", "steps"]}).metric == "loss"


def test_precision_and_normalisation_are_fields_like_any_other() -> None:
    found = space({"training.bf16": [False, True], "loss_normalization": ["exact", "mean-of-means"]})
    check_space(found)
    tried = [found.config_of(values) for values in found.points]
    assert [(config.setting("bf16"), config.loss_normalization) for config in tried] == [
        (False, "exact"), (False, "mean-of-means"), (True, "exact"), (True, "mean-of-means")
    ]  # fmt: skip


def test_the_presets_are_specs_of_any_config() -> None:
    found = presets(sums(per_device_train_batch_size=8, gradient_accumulation_steps=4))
    rates = Space(sums(), spec(**found["learning-rate"])).points
    assert len(rates) == 9 and rates[4] == {RATE: 1e-3}
    assert (rates[0][RATE], rates[-1][RATE]) == (1e-5, 0.1)
    cost = space(base=sums(), **found["cost"])
    assert [plan(cost.config_of(values)) for values in cost.points] == [
        (1, 32),
        (2, 16),
        (4, 8),
        (8, 4),
        (16, 2),
        (32, 1),
    ]
    batches = space(base=sums(per_device_train_batch_size=8, gradient_accumulation_steps=4), **found["effective-batch"])
    assert [values["effective_batch"] for values in batches.points] == [8, 16, 32, 64, 128]
    assert {plan(batches.config_of(values))[0] for values in batches.points} == {8}
    # the same examples, and the learning rate by the square root; 10 updates are no multiple of 4, and become 8
    assert [batches.config_of(values).setting("max_steps") for values in batches.points] == [32, 16, 8, 4, 2]
    assert batches.config_of(batches.points[0]).setting("learning_rate") == pytest.approx(5e-4)
    for rows, steps in ((1, 1), (7, 13), (360, 7), (1, 10**6)):
        base = sums(per_device_train_batch_size=rows, gradient_accumulation_steps=steps)
        for values in presets(base).values():
            assert 1 <= space(base=base, **values).planned <= 9
            check_examples(space(base=base, **values))


def test_the_plans_of_a_grid_are_told_before_it_starts() -> None:
    [first, _] = space({"effective_batch": [8, 16]}, learning_rate_scaling="linear").plans()
    assert first == {
        "values": {"effective_batch": 8}, "micro_batch": 2, "accumulation_steps": 4, "effective_batch": 8,
        "learning_rate": pytest.approx(2e-3), "max_steps": 10,
    }  # fmt: skip
