"""Runs side by side: figures that can be redone by hand, where they differ, and their spread over seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compare import MOST, compare
from engine.errors import StoreError
from engine.events import StateChanged
from engine.store import Store
from tests.engine.compared_runs import FACTS, config, trained
from tests.engine.store_runs import evaluation, open_store, running, sample, update


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def only(found: dict[str, Any]) -> dict[str, Any]:
    [figures] = found["runs"]
    return dict(figures)


# ---- what is compared ----


def test_runs_come_in_the_order_of_their_names_and_each_once(store: Store) -> None:
    first, second = trained(store), trained(store)
    found = compare(store, [second, first, second])
    assert [each["run"] for each in found["runs"]] == [second, first]
    assert [each["run"] for each in found["curves"]] == [second, first]
    json.dumps(found, allow_nan=False)


def test_no_run_too_many_and_runs_that_train_nothing_are_refused(store: Store) -> None:
    many = [store.create_run(config()) for _ in range(MOST + 1)]
    proof = store.create_run(config(), kind="proof")
    for wanted, code in (
        ([], "compare.none"),
        (many, "compare.too-many"),
        ([proof], "compare.no-training"),
        ([99], "store.no-run"),
    ):
        with pytest.raises(StoreError) as refusal:
            compare(store, wanted)
        assert refusal.value.code == code
    assert len(compare(store, many[:MOST])["runs"]) == MOST


def test_a_run_that_has_not_begun_has_no_figures_and_no_curve(store: Store) -> None:
    found = compare(store, [store.create_run(config())], below=1.0)
    figures = only(found)
    nothing = ("loss", "eval_loss", "best_evaluation", "peak_bytes", "throughput", "padding", "plan", "tokens")
    assert {figures[name] for name in nothing} == {None}
    assert figures["reached"] is None and figures["updates"] == 0
    assert found["curves"][0]["updates"]["update"] == []


# ---- figures ----


def test_final_values_and_the_best_evaluation_are_those_of_the_run(store: Store) -> None:
    run = trained(store, [2.0, 1.0, 0.5], evaluations=[0.75, 0.9])
    figures = only(compare(store, [run]))
    assert (figures["loss"], figures["eval_loss"]) == (0.5, 0.9)
    assert figures["best_evaluation"] == {"loss": 0.75, "update": 2}
    assert figures["eval_metrics"] == {"accuracy": 0.5}
    # 3 updates of 32 examples with 96 targets and 128 tokens, half a second each
    totals = ("updates", "examples", "targets", "tokens", "seconds")
    assert [figures[name] for name in totals] == [3, 96, 288, 384, 1.5]


def test_throughput_leaves_out_the_first_three_updates_or_the_first_tenth(store: Store) -> None:
    # 96 targets in 4 s at first, then in 0.5 s
    run = trained(store, [1.0] * 5, durations=[4.0, 4.0, 4.0, 0.5, 0.5])
    figures = only(compare(store, [run]))
    assert (figures["throughput"], figures["warm_up"], figures["paced"]) == (192.0, 3, 2)
    long = trained(store, [1.0] * 40, durations=[4.0] * 4 + [0.5] * 36)
    figures = only(compare(store, [long]))
    assert (figures["throughput"], figures["warm_up"], figures["paced"]) == (192.0, 4, 36)
    assert compare(store, [run])["warm_up"] == {"least": 3, "share": 0.1}


def test_one_slow_update_after_the_warm_up_moves_no_throughput(store: Store) -> None:
    run = trained(store, [1.0] * 13, durations=[0.5] * 8 + [60.0] + [0.5] * 4)
    assert only(compare(store, [run]))["throughput"] == 192.0


def test_three_updates_are_too_few_for_a_throughput(store: Store) -> None:
    found = compare(store, [trained(store, [1.0] * 3)])
    assert only(found)["throughput"] is None
    assert "compare.short" in [mark["code"] for mark in found["marks"]]


def test_the_peak_is_the_highest_reading_of_the_memory_that_the_run_is_about(store: Store) -> None:
    run = running(store, **config())
    store.write(sample(run, 0.1, resident=9000, allocated=700))
    store.write(update(run, 1, memory=800))
    store.write(sample(run, 0.6, resident=9000, allocated=900))
    store.flush()
    assert only(compare(store, [run]))["peak_bytes"] == 900
    on_cpu = running(store, **config())
    store.write(sample(on_cpu, 0.1, resident=9000))
    store.flush()
    assert only(compare(store, [on_cpu]))["peak_bytes"] == 9000


# ---- reaching a loss ----


def test_a_loss_is_reached_at_the_first_update_that_is_at_or_under_it(store: Store) -> None:
    run = trained(store, [2.0, 1.0, 1.5, 0.5])
    reached = {"update": 2, "total_examples": 64, "total_targets": 192, "total_tokens": 256, "seconds": 1.0}
    assert only(compare(store, [run], below=1.0))["reached"] == reached
    assert only(compare(store, [run], below=0.4))["reached"] is None
    assert only(compare(store, [run]))["reached"] is None


def test_an_evaluation_loss_is_reached_at_an_evaluation(store: Store) -> None:
    run = trained(store, [0.1, 0.1, 0.1, 0.1], evaluations=[0.9, 0.7])
    reached = only(compare(store, [run], metric="eval_loss", below=0.8))["reached"]
    assert (reached["update"], reached["total_tokens"]) == (4, 512)
    assert only(compare(store, [run], metric="eval_loss", below=0.5))["reached"] is None


@settings(max_examples=25, deadline=None)
@given(losses=st.lists(st.none() | st.integers(0, 40), min_size=1, max_size=140), bound=st.integers(0, 40))
def test_the_first_update_is_found_through_the_marks_as_by_reading_all(losses: list[int | None], bound: int) -> None:
    with TemporaryDirectory() as home, open_store(Path(home)) as store, pytest.MonkeyPatch.context() as patch:
        # buckets of 16 updates in place of 4,096
        patch.setattr("engine.store.spans.LEVEL", 2)
        run = trained(store, losses)
        first = next((number for number, loss in enumerate(losses, 1) if loss is not None and loss <= bound), None)
        reached = store.reached(run, bound)
        assert (reached and reached["update"]) == first


def test_of_a_long_run_evenly_spread_updates_stand_for_all(store: Store) -> None:
    run = trained(store, [1.0] * 100)
    assert [row["update"] for row in store.spread_out(run, 10, 4)] == [11, 40, 70, 100]
    assert len(store.spread_out(run, 10, 90)) == 90
    assert store.spread_out(run, 100, 10) == []


# ---- curves ----


def test_curves_lie_on_every_axis_and_evaluations_know_their_tokens(store: Store) -> None:
    run = trained(store, [2.0, 1.0], evaluations=[0.9])
    [curve] = compare(store, [run])["curves"]
    updates, evaluations = curve["updates"], curve["evaluations"]
    assert updates["total_tokens"] == [128, 256] and updates["throughput"] == [192.0, 192.0]
    assert (evaluations["update"], evaluations["total_tokens"], evaluations["loss"]) == ([2], [256], [0.9])
    for axis in ("update", "total_examples", "total_targets", "total_tokens", "seconds"):
        assert len(updates[axis]) == 2 and len(evaluations[axis]) == 1


def test_an_evaluation_whose_update_was_thinned_out_lies_between_its_neighbours(store: Store) -> None:
    run = running(store, **config())
    for number in range(1, 2001):
        store.write(update(run, number, total_tokens=number * 128))
    store.write(evaluation(run, 1001))
    store.flush()
    [curve] = compare(store, [run], points=300)["curves"]
    assert curve["thinned"] and len(curve["updates"]["update"]) <= 300
    assert curve["evaluations"]["total_tokens"] == [pytest.approx(1001 * 128)]


# ---- where they differ ----


def differences(store: Store, *settings: dict[str, Any], facts: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    each = facts or [FACTS] * len(settings)
    runs = [trained(store, settings=one, facts=found) for one, found in zip(settings, each, strict=True)]
    return {found["key"]: found["values"] for found in compare(store, runs)["differences"]}


def test_only_what_differs_is_told_and_a_default_is_no_difference(store: Store) -> None:
    # the library's own default of weight_decay is 0.0
    found = differences(store, config(), config(training__learning_rate=1e-2, training__weight_decay=0.0))
    assert found == {"training.learning_rate": [1e-3, 1e-2]}


def test_what_one_run_leaves_out_has_its_default_and_a_part_that_is_none_has_none(store: Store) -> None:
    lora = {"r": 8, "alpha": 16, "dropout": 0.0}
    found = differences(store, config(), {**config(training__weight_decay=0.1), "lora": lora, "packing": True})
    assert found["training.weight_decay"] == [0.0, 0.1]
    assert found["packing"] == [False, True]
    assert found["lora.r"] == [None, 8]


def test_plans_and_what_was_found_out_are_told_after_the_settings(store: Store) -> None:
    other = {**FACTS, "threads": 4, "versions": {**FACTS["versions"], "torch": "2.14.0"}}
    found = differences(store, config(), config(training__gradient_accumulation_steps=8), facts=[FACTS, other])
    assert found == {
        "training.gradient_accumulation_steps": [4, 8],
        "plan.effective_batch": [32, 64],
        "fact.threads": [2, 4],
        "fact.versions.torch": ["2.13.0", "2.14.0"],
    }


# ---- the spread over seeds ----


def test_runs_that_differ_in_seeds_alone_have_a_mean_and_a_deviation(store: Store) -> None:
    seeds = [
        trained(store, [2.0, loss], settings=config(training__seed=seed))
        for seed, loss in ((1, 1.0), (2, 2.0), (3, 3.0))
    ]
    other = trained(store, settings=config(training__learning_rate=1e-2))
    [group] = compare(store, [*seeds, other])["groups"]
    assert group["runs"] == seeds
    # of 1, 2 and 3 the mean is 2 and the deviation over n - 1 is 1
    assert group["values"]["loss"] == {"mean": 2.0, "deviation": 1.0, "n": 3}
    assert "eval_loss" not in group["values"]


def test_a_run_once_more_is_no_further_draw_and_an_unfinished_one_has_no_final_value(store: Store) -> None:
    first = trained(store, [1.0])
    again = trained(store, [1.0])
    assert compare(store, [first, again])["groups"] == []
    second = trained(store, [3.0], settings=config(training__seed=2))
    stopped = trained(store, [9.0], settings=config(training__seed=3), state="stopped")
    [group] = compare(store, [first, again, second, stopped])["groups"]
    assert group["runs"] == [again, second]
    assert group["values"]["loss"]["mean"] == 2.0


def test_a_data_seed_left_out_is_the_seed(store: Store) -> None:
    written = trained(store, settings=config(training__seed=7, training__data_seed=7))
    left_out = trained(store, settings=config(training__seed=7))
    found = compare(store, [written, left_out])
    assert (found["differences"], found["groups"]) == ([], [])


def test_a_run_under_way_is_compared_as_far_as_it_has_come(store: Store) -> None:
    run = running(store, **config())
    store.write(update(run, 1, loss=2.0))
    store.flush()
    assert only(compare(store, [run]))["loss"] == 2.0
    store.write(update(run, 2, loss=1.0))
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    assert only(compare(store, [run]))["loss"] == 1.0
