"""A sweep whose program dies, and one of several workers: nothing is lost, tried twice, or drawn otherwise."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator
from typing import Any

import pytest

from engine.store import Store
from engine.sweep.study import FILE, Studies
from tests.engine import sweeps
from tests.engine.sweeps import Program, Rehearsal, spec, sums, table

RATES = {"from": 1e-5, "to": 1e-1, "log": True}


@pytest.fixture
def studies(store: Store) -> Iterator[Studies]:
    opened = Studies(store.home)
    yield opened
    opened.close()


def whole(studies: Studies, store: Store, name: str, **values: Any) -> list[tuple[Any, ...]]:
    """The table of a sweep that nothing has disturbed."""
    studies.create(name, sums(), spec(**values))
    Program(studies, name, store, name, set()).end()
    return table(studies, name)


SWEEPS: dict[str, dict[str, Any]] = {
    "grid": {"fields": {"training.learning_rate": [1e-4, 1e-3, 1e-2], "training.per_device_train_batch_size": [1, 2]}},
    "random": {"method": "random", "trials": 6, "fields": {"training.learning_rate": RATES}},
    "tpe": {
        "method": "tpe",
        "trials": 9,
        "prune": True,
        "fields": {"training.learning_rate": RATES, "training.per_device_train_batch_size": [1, 2, 4]},
        "effective_batch": 4,
    },
}


@pytest.mark.parametrize("method", SWEEPS)
def test_a_sweep_that_dies_before_any_of_its_writes_and_goes_on_equals_one_that_never_died(
    method: str, studies: Studies, store: Store
) -> None:
    right = whole(studies, store, "whole", **SWEEPS[method])
    assert all(end for *_, end, _ in right)
    # every program lives a little longer than the one before it, from its first write on
    name, deaths = "killed", 0
    studies.create(name, sums(), spec(**SWEEPS[method]))
    while True:
        program = Program(studies, name, store, f"program {deaths}", set(), last=1 + deaths % 23)
        program.end()
        if not program.body.dead:
            break
        deaths += 1
        assert deaths < 200
    assert deaths > len(right)
    assert table(studies, name) == right


def test_the_numbers_decide_what_is_drawn_and_the_seed_of_the_sweep_changes_it(studies: Studies, store: Store) -> None:
    one = whole(studies, store, "one", **SWEEPS["random"])
    same = whole(studies, store, "same", **SWEEPS["random"])
    other = whole(studies, store, "other", **SWEEPS["random"], seed=1)
    rates = [[values["training.learning_rate"] for _, values, *_ in found] for found in (one, same, other)]
    assert rates[0] == rates[1]
    assert len(set(rates[0])) == 6
    assert not set(rates[0]) & set(rates[2])


def test_of_a_program_that_died_after_its_run_had_finished_the_run_is_told_and_not_tried_again(
    studies: Studies, store: Store
) -> None:
    right = whole(studies, store, "whole", **SWEEPS["grid"])
    studies.create("killed", sums(), spec(**SWEEPS["grid"]))
    alive: set[str] = set()
    # the layout is claimed (1) and written (2 to 7), the first trial claimed (8), begun (9 to 11), and has its run (12)
    first = Program(studies, "killed", store, "first", alive, last=12)
    first.end()
    assert first.body.dead and first.session.submitted == ["sweep/killed/0000"]
    second = Program(studies, "killed", store, "second", alive)
    second.end()
    assert second.session.submitted == [f"sweep/killed/{number:04d}" for number in range(1, 6)]
    assert table(studies, "killed") == right
    assert len(store.runs()) == 12


@pytest.mark.parametrize("method", SWEEPS)
def test_workers_share_a_study_without_a_trial_twice(method: str, studies: Studies, store: Store) -> None:
    studies.create("shared", sums(), spec(**SWEEPS[method]))
    alive: set[str] = set()
    # each has a storage of its own, as programs have
    opened = [Studies(store.home) for _ in range(3)]
    programs = [Program(each, "shared", store, f"worker {place}", alive) for place, each in enumerate(opened)]
    for program in programs:
        program.end()
    done = sorted(name for program in programs for name in program.session.submitted)
    planned = studies.study("shared").space().planned
    assert done == [f"sweep/shared/{number:04d}" for number in range(planned)]
    found = table(studies, "shared")
    assert [number for number, *_ in found] == list(range(planned)) and all(end for *_, end, _ in found)
    if method == "grid":
        assert found == whole(studies, store, "whole", **SWEEPS["grid"])
    with sqlite3.connect(store.home / FILE) as db:
        [number] = db.execute("SELECT count(*) FROM trials WHERE study_id = 1").fetchone()
    db.close()
    # the layout was written down once
    assert number == planned
    for each in opened:
        each.close()


def test_a_worker_takes_over_what_another_left_when_it_died_while_it_works_itself(
    studies: Studies, store: Store
) -> None:
    studies.create("shared", sums(), spec(**SWEEPS["grid"]))
    alive: set[str] = set()
    dying = Program(studies, "shared", store, "dying", alive, last=9)
    dying.driver.join(60)
    # its lock is still held: nobody takes its trial
    assert studies.study("shared").claims(owner="x", place="here", lives=lambda token: token in alive).held()
    other = Program(studies, "shared", store, "other", alive)
    while len(other.session.submitted) < 5:
        assert other.driver.alive
        time.sleep(0.01)
    assert "sweep/shared/0000" not in other.session.submitted
    alive.discard("dying")
    other.end()
    assert other.session.submitted[-1] == "sweep/shared/0000"
    assert all(end for *_, end, _ in table(studies, "shared"))


def test_a_failed_trial_is_a_result_and_not_an_end(studies: Studies, store: Store) -> None:
    studies.create("some-fail", sums(), spec(**SWEEPS["grid"]))
    program = Program(studies, "some-fail", store, "one", set(), last=0)
    program.end()
    again = Program(studies, "some-fail", store, "two", set())
    again.session.ends = lambda config: "failed" if config.setting("learning_rate") == 1e-3 else "finished"
    again.end()
    ends = [end for *_, end, _ in table(studies, "some-fail")]
    assert [state for state, _ in ends] == ["finished", "finished", "failed", "failed", "finished", "finished"]
    assert [value is None for _, value in ends] == [False, False, True, True, False, False]


def test_what_is_worse_than_half_of_the_others_on_its_way_is_pruned_at_the_same_place_whenever_it_is_looked_at(
    studies: Studies, store: Store
) -> None:
    rates = [1e-3, 2e-3, 3e-3, 4e-3, 1e-1, 1.1e-3]
    found = whole(studies, store, "pruned", fields={"training.learning_rate": rates}, prune=True)
    assert [end[0] for *_, end, _ in found] == [*["finished"] * 4, "pruned", "finished"]
    _, _, shares, (_, value), updates = found[4]
    # ten updates with an evaluation each: the first part that is looked at is the second, after two updates
    assert updates == 2 and list(shares) == [1, 2]
    assert value == shares[2] == pytest.approx(2 + 0.02 + 1 / 2)
    assert [len(shares) for _, _, shares, *_ in found] == [9, 9, 9, 9, 2, 9]


@pytest.mark.parametrize("evaluates", ["steps", "no"])
def test_a_loss_that_is_no_number_any_more_is_pruned_and_has_no_value(
    evaluates: str, studies: Studies, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(config: Any, number: int) -> float:
        return math.nan if config.setting("learning_rate") == 1e-1 and number > 3 else 1 / number

    monkeypatch.setattr(sweeps, "loss_of", loss)
    rates = [1e-3, 2e-3, 3e-3, 4e-3, 1e-1]
    studies.create("nan", sums(eval_strategy=evaluates), spec({"training.learning_rate": rates}, prune=True))
    Program(studies, "nan", store, "nan", set()).end()
    *others, last = table(studies, "nan")
    assert {end[0] for *_, end, _ in others} == {"finished"}
    # ten updates: the fourth part is the first one without a number
    _, _, shares, (state, value), updates = last
    assert (state, value, updates) == ("pruned", None, 4)
    assert list(shares) == [1, 2, 3, 4] and math.isnan(shares[4])


def test_the_rehearsal_says_what_a_run_says(store: Store) -> None:
    run = store.run(Rehearsal(store).submit(sums(max_steps=3), "x"))
    assert (run.state, run.update, run.name) == ("finished", 3, "x")
    assert run.eval_loss == pytest.approx(0.02 + 1 / 3)
