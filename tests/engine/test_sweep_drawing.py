"""What Optuna is asked: values by a trial's number, and what is stopped early."""

from __future__ import annotations

import math
from typing import Any

from engine.sweep.drawing import Past, draw, restored, stops, stored
from engine.sweep.space import Space
from tests.engine.sweeps import spec, sums

RATE, MICRO = "training.learning_rate", "training.per_device_train_batch_size"
RATES = {"from": 1e-5, "to": 1e-1, "log": True}


def space(fields: dict[str, Any], **values: Any) -> Space:
    return Space(sums(), spec(fields, **values))


def tried(found: Space, number: int) -> list[Past]:
    """So many trials, judged by how far the learning rate is from 1e-3."""
    past: list[Past] = []
    for each in range(number):
        values = draw(found, each, past)
        past.append(Past(each, "finished", values, abs(math.log10(values[RATE]) + 3)))
    return past


def test_a_trial_is_drawn_by_its_number_and_those_before_it_and_nothing_that_a_process_remembers() -> None:
    found = space({RATE: RATES, MICRO: {"from": 1, "to": 8}}, method="tpe", trials=24)
    past = tried(found, 24)
    again = space({RATE: RATES, MICRO: {"from": 1, "to": 8}}, method="tpe", trials=24)
    for number in (0, 3, 23):
        assert draw(again, number, past[:number]) == past[number].values
        # in whatever order they are told
        assert draw(again, number, past[:number][::-1]) == past[number].values
    assert len({each.values[RATE] for each in past}) == 24


def test_tpe_comes_nearer_to_the_best_than_what_is_drawn_at_random() -> None:
    found = {method: tried(space({RATE: RATES}, method=method, trials=30), 30) for method in ("random", "tpe")}
    late = {
        method: sorted(each.value for each in past[15:] if each.value is not None) for method, past in found.items()
    }
    assert late["tpe"][7] < late["random"][7] / 2


def test_what_can_not_make_the_effective_batch_is_never_drawn_however_rare_the_rest_is() -> None:
    found = space({RATE: RATES, MICRO: {"from": 1, "to": 1000}}, method="random", effective_batch=997, leave_out=True)
    drawn = [draw(found, number, []) for number in range(5)]
    assert {values[MICRO] for values in drawn} <= {1, 997}
    assert len({values[RATE] for values in drawn}) == 5


def test_no_combination_is_drawn_twice_while_another_is_left() -> None:
    fields = {RATE: [1e-4, 1e-3, 1e-2], MICRO: [1, 2]}
    for method in ("random", "tpe"):
        past = tried(space(fields, method=method, trials=6), 6)
        assert len({(each.values[RATE], each.values[MICRO]) for each in past}) == 6
        # steps of a range that is not of whole numbers have an end too
        found = space({RATE: {"from": 0.1, "to": 0.7, "step": 0.1}}, method=method, trials=20)
        assert found.planned == 7
        assert {each.values[RATE] for each in tried(found, 7)} == {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}


def test_what_somebody_stopped_says_nothing_and_what_failed_says_that_it_is_bad() -> None:
    found = space({RATE: RATES}, method="tpe", trials=40)
    past = tried(found, 15)
    stopped = [*past, Past(15, "stopped", {RATE: 1e-5}), Past(16, "waiting", {RATE: 1e-4})]
    assert draw(found, 20, stopped) == draw(found, 20, past)
    # all above 1e-3 fail: TPE goes there no more
    failing = [
        Past(each.number, "failed", each.values) if each.values[RATE] > 1e-3 else
        Past(each.number, "finished", each.values, 1.0) for each in past
    ]  # fmt: skip
    drawn = [draw(found, number, failing)[RATE] for number in range(20, 40)]
    assert sum(rate > 2e-3 for rate in drawn) < sum(each.values[RATE] > 2e-3 for each in past) / 15 * 20


def test_values_are_what_a_person_can_read_and_stay_what_they_are_in_the_storage() -> None:
    fields = {
        RATE: RATES,
        "training.weight_decay": {"from": 0.0, "to": 0.3, "step": 0.1},
        MICRO: {"from": 2, "to": 9, "step": 3},
        "lora": [None, {"r": 8, "alpha": 16}],
        "training.bf16": [False, True],
        "training.lr_scheduler_type": ["linear", "cosine"],
    }
    found = space(fields, method="random", trials=30)
    for number in range(30):
        values = draw(found, number, [])
        assert values[RATE] == float(f"{values[RATE]:.4g}")
        assert values["training.weight_decay"] in (0.0, 0.1, 0.2, 0.3) and values[MICRO] in (2, 5, 8)
        assert restored(found, stored(found, values)) == values
        assert restored(found, {}) == {}
        found.config_of(values)


def test_a_trial_is_stopped_where_it_is_worse_than_half_of_the_finished_ones_and_not_before() -> None:
    others = [Past(number, "finished", {RATE: 1e-3}, 1.0, {1: 3.0, 2: 2.0 + number, 3: 1.0}) for number in range(5)]
    # the median at part 2 is 4
    assert stops(others, {1: 9.0, 2: 4.5})
    assert not stops(others, {1: 9.0, 2: 3.5}) and not stops(others, {1: 9.0, 2: 4.0})
    assert not stops(others, {1: 9.0})
    assert not stops(others, {})
    # of four finished ones and more, with a loss there
    assert not stops(others[:3], {1: 9.0, 2: 9.0})
    assert not stops(others, {2: 9.0, 4: 9.0})
    running = [Past(each.number, "running", each.values, None, each.shares) for each in others]
    assert not stops(running, {1: 9.0, 2: 9.0})


def test_a_trial_that_was_good_and_goes_astray_is_stopped() -> None:
    ends = (1.5, 1.7, 1.8, 2.0)
    others = [Past(number, "finished", {RATE: 1e-3}, 1.0, {2: 1.9, 3: end}) for number, end in enumerate(ends)]
    # the median at part 3 is (1.7 + 1.8) / 2 = 1.75
    assert not stops(others, {2: 1.5}) and not stops(others, {2: 1.5, 3: 1.75})
    assert stops(others, {2: 1.5, 3: 9.0}) and stops(others, {2: 1.5, 3: 1.76})
    assert stops(others, {2: 1.5, 3: math.nan}) and stops(others, {2: 1.5, 3: math.inf})
    # one of five that was no number there is the worst: the median is 1.8
    others.append(Past(4, "finished", {RATE: 1e-3}, 1.0, {3: math.nan}))
    assert stops(others, {3: 1.81}) and not stops(others, {3: 1.79})
