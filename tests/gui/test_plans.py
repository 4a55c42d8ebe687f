"""The plans that one can choose from."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import ProofRequest, RunConfig
from gui.plans import MOST, plans_beside, settings_of


def test_the_plans_of_32_rows_are_its_factor_pairs_from_one_row_to_the_large_batch() -> None:
    assert plans_beside((8, 4)) == [(1, 32), (2, 16), (4, 8), (8, 4), (16, 2), (32, 1)]


def test_a_window_of_one_row_has_one_plan() -> None:
    assert plans_beside((1, 1)) == [(1, 1)]


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_every_choice_holds_the_run_s_own_plan_and_both_ends_and_can_be_asked_for(rows: int, steps: int) -> None:
    plans = plans_beside((rows, steps))
    assert len(plans) <= MOST
    assert {(rows, steps), (1, rows * steps), (rows * steps, 1)} <= {*plans}
    assert plans == sorted({*plans})
    training = {"per_device_train_batch_size": rows, "gradient_accumulation_steps": steps}
    config = RunConfig.default().model_copy(update={"training": training})
    assert {*ProofRequest(tuple(plans)).plans_for(config)} == {*plans}


def test_a_window_of_billions_of_rows_is_answered_at_once() -> None:
    began = time.monotonic()
    assert (2**31 - 1, 2**31 - 1) in plans_beside((2**31 - 1, 2**31 - 1))
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("data", "name"), [({"name": "sums"}, "sums"), ({"path": "rows.csv"}, "rows.csv"), ({"hub": "a/b"}, "a/b")]
)
def test_the_settings_are_named_as_in_the_form(data: dict[str, str], name: str) -> None:
    settings = settings_of(RunConfig.from_dict({"model": "tiny-bert", "task": "text-classification", "data": data}))
    assert (settings["model"], settings["data"], settings["task"]) == ("tiny-bert", name, "text-classification")
    assert (settings["own"], settings["plans"]) == ((8, 1), plans_beside((8, 1)))
