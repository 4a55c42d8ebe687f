"""What a page reads: the whole run once, then what is new."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Notice, RunPlanned, StateChanged
from engine.store import Store
from tests.engine.store_runs import back_to_format_4, evaluation, micro_batch, open_store, running, sample, update

METRICS = ("loss", "grad_norm", "learning_rate", "targets", "examples", "duration", "memory")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("home")) as opened:
        yield opened


def numbers(delta: dict[str, Any]) -> tuple[list[int], list[int], list[float]]:
    """What came: updates, evaluations by their update, memory samples by their seconds."""
    return delta["updates"]["update"], delta["evaluations"]["update"], delta["memory"]["seconds"]


def write(store: Store, *events: Any) -> None:
    for event in events:
        store.write(event)
    store.flush()


def test_the_first_read_is_the_whole_run_and_later_ones_only_what_is_new(store: Store) -> None:
    run = running(store)
    write(store, sample(run, 0.5), update(run, 1), update(run, 2), evaluation(run, 2), sample(run, 1.0))
    first = store.read(run)
    assert (first["reset"], first["thinned"], numbers(first)) == (True, False, ([1, 2], [2], [0.5, 1.0]))
    nothing = store.read(run, first["cursor"])
    assert (nothing["reset"], nothing["cursor"], numbers(nothing)) == (False, first["cursor"], ([], [], []))
    write(store, update(run, 3), sample(run, 1.5))
    new = store.read(run, nothing["cursor"])
    assert (new["reset"], numbers(new)) == (False, ([3], [], [1.5]))
    write(store, evaluation(run, 3))
    assert numbers(store.read(run, new["cursor"])) == ([], [3], [])


def test_a_read_holds_every_column_and_is_ready_for_json(store: Store) -> None:
    run = running(store, model="minilm")
    write(store, update(run, 1), evaluation(run, 1), sample(run, 0.5, allocated=7))
    delta = store.read(run)
    row = dataclasses.asdict(update(run, 1))
    del row["run"], row["micro_batches"]
    assert delta["updates"] == {name: [value] for name, value in row.items()}
    assert delta["evaluations"] == {
        "update": [1], "loss": [1.0], "metrics": [{"accuracy": 0.5}], "seconds": [0.5], "total_examples": [32],
        "total_targets": [96],
    }  # fmt: skip
    assert delta["memory"] == {
        "seconds": [0.5], "update": [1.0], "total_examples": [0], "total_targets": [0], "resident": [1000],
        "allocated": [7], "reserved": [None], "device_used": [None],
    }  # fmt: skip
    told = dataclasses.asdict(store.run(run))
    for noted in ("title", "tags", "notes"):
        del told[noted]
    assert delta["run"] == {**told, "eta": None}
    assert json.loads(json.dumps(delta, allow_nan=False)) == delta


def test_a_run_that_has_said_nothing_reads_as_empty(store: Store) -> None:
    run = store.create_run({})
    delta = store.read(run)
    assert (delta["reset"], delta["thinned"], numbers(delta)) == (True, False, ([], [], []))
    assert (delta["notices"], delta["window"]) == ([], {"update": 0, "of": 0, "micro_batches": []})


@pytest.mark.parametrize("cursor", ["x", "1", "1.2.3.4.5.6.7", "-1.0.0.0.0.0", "9" * 30 + ".0.0.0.0.0", "١.٠.٠.٠.٠.٠"])
def test_a_cursor_that_makes_no_sense_reads_as_none(store: Store, cursor: str) -> None:
    run = running(store)
    write(store, update(run, 1))
    delta = store.read(run, cursor)
    assert (delta["reset"], delta["updates"]["update"]) == (True, [1])


def test_a_cursor_of_another_run_or_of_another_home_reads_as_none(store: Store, tmp_path: Path) -> None:
    runs = [running(store), running(store)]
    for run in runs:
        write(store, update(run, 1))
    assert store.read(runs[1], store.read(runs[0])["cursor"])["reset"]
    with open_store(tmp_path / "other") as other:
        run = running(other)
        assert run == runs[0]
        write(other, update(run, 1), update(run, 2))
        assert other.read(run, store.read(run)["cursor"])["reset"]


def test_notices_come_once(store: Store) -> None:
    run = running(store)
    write(store, Notice(run=run, code="a", message="A"))
    first = store.read(run)
    write(store, Notice(run=run, code="b", message="B", values={"n": 1}))
    second = store.read(run, first["cursor"])
    assert [notice["code"] for notice in first["notices"]] == ["a"]
    assert second["notices"] == [{"code": "b", "message": "B", "values": {"n": 1}}]
    assert store.read(run, second["cursor"])["notices"] == []


def test_the_window_is_the_current_one_and_always_whole(store: Store) -> None:
    run = running(store)
    write(store, micro_batch(run, 1, 1, of=2), micro_batch(run, 1, 2, of=2), update(run, 1))
    first = store.read(run)
    assert (first["window"]["update"], first["window"]["of"]) == (1, 2)
    write(store, micro_batch(run, 2, 1, of=2, loss=0.25, seconds=0.1, grad_norm=3.0))
    part = {"index": 1, "loss": 0.25, "weight": 0.5, "targets": 24, "examples": 8, "seconds": 0.1, "grad_norm": 3.0}
    for cursor in (first["cursor"], store.read(run, first["cursor"])["cursor"]):
        assert store.read(run, cursor)["window"] == {"update": 2, "of": 2, "micro_batches": [part]}


def test_the_window_of_a_run_that_was_stopped_is_the_last_whole_one(store: Store) -> None:
    run, early = running(store), running(store)
    write(store, micro_batch(run, 1, 1, of=1), update(run, 1), micro_batch(run, 2, 1))
    write(store, StateChanged(run=run, state="stopped"))
    assert store.read(run)["window"]["update"] == 1
    # stopped in its first window: a part of it is all there is
    write(store, micro_batch(early, 1, 1), StateChanged(run=early, state="stopped"))
    window = store.read(early)["window"]
    assert (window["update"], len(window["micro_batches"])) == (1, 1)


def test_a_window_that_begins_anew_keeps_nothing_of_the_discarded_one(store: Store) -> None:
    run = running(store)
    write(store, *(micro_batch(run, 1, index, of=4) for index in (1, 2, 3)), StateChanged(run=run, state="stopped"))
    write(store, StateChanged(run=run, state="loading"), micro_batch(run, 1, 1, of=2))
    window = store.read(run)["window"]
    assert (window["of"], [part["index"] for part in window["micro_batches"]]) == (2, [1])


def test_the_eta_is_the_mean_duration_of_the_last_updates_times_those_to_come(store: Store) -> None:
    # 30 updates: ten of 9 s, then twenty of 0.5 s; 70 to come: 70 x 0.5 s = 35 s
    run = running(store)
    write(store, update(run, 1))
    assert store.read(run)["run"]["eta"] is None
    write(store, RunPlanned(run=run, plan={"updates_total": 100}, facts={}))
    write(store, *(update(run, number, duration=9.0 if number <= 10 else 0.5) for number in range(2, 31)))
    assert store.read(run)["run"]["eta"] == 35.0
    write(store, StateChanged(run=run, state="finished"))
    assert store.read(run)["run"]["eta"] is None


def test_more_new_rows_than_a_page_wants_begin_it_anew(store: Store) -> None:
    run = running(store)
    write(store, update(run, 1))
    cursor = store.read(run)["cursor"]
    write(store, *(update(run, number) for number in range(2, 22)))
    assert not store.read(run, cursor, points=20)["reset"]
    assert store.read(run, cursor, points=19)["reset"]


def test_a_resumed_run_that_tells_updates_anew_begins_every_page_anew(store: Store) -> None:
    run = running(store)
    # 40 updates of loss 9, stopped, then told again from 11 to 20 with loss 1
    write(store, *(update(run, number, loss=9.0) for number in range(1, 41)), evaluation(run, 10), evaluation(run, 30))
    cursor = store.read(run)["cursor"]
    write(store, *(update(run, number, loss=1.0) for number in range(11, 21)))
    delta = store.read(run, cursor)
    assert delta["reset"]
    assert delta["updates"]["update"] == list(range(1, 21))
    assert delta["updates"]["loss"] == [9.0] * 10 + [1.0] * 10
    assert delta["evaluations"]["update"] == [10]
    assert store.run(run).update == 20


def test_an_evaluation_that_is_repeated_replaces_the_first(store: Store) -> None:
    run = running(store)
    write(store, evaluation(run, 4, loss=0.9))
    cursor = store.read(run)["cursor"]
    write(store, evaluation(run, 4, loss=0.7))
    delta = store.read(run, cursor)
    assert (delta["reset"], delta["evaluations"]["loss"]) == (True, [0.7])


# ---- thinning ----


def extremes(rows: dict[str, list[Any]], name: str) -> tuple[float | None, float | None]:
    values = [value for value in rows[name] if value is not None]
    return (min(values), max(values)) if values else (None, None)


value = st.one_of(st.none(), st.floats(-100, 100), st.integers(-3, 3).map(float), st.just(float("nan")))
row = st.fixed_dictionaries(dict.fromkeys(METRICS, value))


@pytest.mark.slow
@settings(max_examples=60)
@given(data=st.data(), length=st.integers(1, 400), points=st.integers(1, 300), reopened=st.booleans())
def test_a_thinned_run_keeps_its_ends_and_the_extremes_of_every_metric(
    shared: Store, data: st.DataObject, length: int, points: int, reopened: bool
) -> None:
    few = data.draw(st.lists(row, min_size=1, max_size=12))
    order = data.draw(st.randoms(use_true_random=False))
    # now and then a number is left out
    told = [number for number in range(1, length + 1) if order.random() > 0.02] or [1]
    run = running(shared)
    for place, number in enumerate(told):
        shared.write(update(run, number, **order.choice(few)))
        shared.write(sample(run, number, resident=order.randrange(100), allocated=order.choice([None, 1, 5])))
        shared.write(evaluation(run, number, loss=order.random(), metrics={"f1": order.choice([None, order.random()])}))
        if reopened and place == len(told) // 2:
            # the buckets that were filling are forgotten, as by another program that resumes the run
            shared.write(StateChanged(run=run, state="stopped"))
            shared.write(StateChanged(run=run, state="loading"))
    shared.flush()
    whole, thin = shared.read(run, points=10**6), shared.read(run, points=points)
    assert whole["updates"]["update"] == told and not whole["thinned"]
    for series, metrics in (("updates", METRICS), ("memory", ("resident", "allocated")), ("evaluations", ("loss",))):
        everything, kept = whole[series], thin[series]
        rows = set(zip(*(map(repr, column) for column in everything.values()), strict=True))
        assert rows.issuperset(zip(*(map(repr, column) for column in kept.values()), strict=True))
        assert kept["update"] == sorted(set(kept["update"]))
        assert (kept["update"][0], kept["update"][-1]) == (everything["update"][0], everything["update"][-1])
        for name in metrics:
            assert extremes(kept, name) == extremes(everything, name)
        # of 400 updates the coarsest level leaves at most one bucket of 256, two of 64, three of 16 and a tail of 15
        assert len(kept["update"]) <= max(points, (1 + 2 + 3) * 14 + 15 + 2)
    f1 = [extremes({"f1": [each["f1"] for each in part["evaluations"]["metrics"]]}, "f1") for part in (whole, thin)]
    assert f1[0] == f1[1]


def test_a_long_run_is_thinned_to_the_points_asked_for_and_goes_on_by_deltas(store: Store) -> None:
    run = running(store)
    told = (update(run, number, loss=number * 7919 % 10007, memory=number % 97) for number in range(1, 10_001))
    write(store, *told)
    delta = store.read(run, points=2000)
    assert delta["reset"] and delta["thinned"]
    assert 500 < len(delta["updates"]["update"]) <= 2000
    assert (delta["updates"]["update"][0], delta["updates"]["update"][-1]) == (1, 10_000)
    write(store, update(run, 10_001))
    assert store.read(run, delta["cursor"], points=2000)["updates"]["update"] == [10_001]


def test_extremes_are_right_after_updates_were_told_anew(store: Store) -> None:
    run = running(store)
    write(store, *(update(run, number, loss=float(number)) for number in range(1, 1001)))
    write(store, *(update(run, number, loss=-float(number)) for number in range(700, 901)))
    delta = store.read(run, points=100)
    # 1 ... 699, then -700 ... -900
    assert delta["thinned"] and extremes(delta["updates"], "loss") == (-900.0, 699.0)
    assert delta["updates"]["update"][-1] == 900


def test_what_could_not_be_written_is_not_marked_either(store: Store) -> None:
    run = running(store)
    write(store, *(update(run, number, loss=1.0) for number in range(1, 16)))
    store.write(update(run, 16, loss=99.0, targets=2**70))
    with pytest.raises(Exception, match="can't be used"):
        store.flush()
    write(store, StateChanged(run=run, state="failed"), StateChanged(run=run, state="loading"))
    write(store, *(update(run, number, loss=2.0) for number in range(16, 65)))
    assert extremes(store.read(run, points=10)["updates"], "loss") == (1.0, 2.0)


def test_what_can_t_be_told_is_written_in_a_form_that_can(store: Store) -> None:
    run = store.create_run({"name": "\ud800", "\udfff": 2**70, "deep": [10**400, float("nan"), True]})
    config = store.read(run)["run"]["config"]
    assert config == {"name": "\\ud800", "\\udfff": float(2**70), "deep": [None, None, True]}


def test_a_home_of_format_4_opens_and_its_updates_have_no_tokens(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store, model="minilm")
        write(store, update(run, 1))
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        back_to_format_4(db)
    db.close()
    for number in (2, 3):
        with open_store(tmp_path) as store:
            write(store, update(run, number))
            assert store.read(run)["updates"]["total_tokens"] == [None, 256, 384][:number]
