"""The arithmetic of a plan in words."""

from __future__ import annotations

from typing import Any

import pytest

from engine import RunConfig
from gui.arithmetic import in_words
from gui.text import ENGLISH


def spoken(config: RunConfig, rows: int | None) -> list[str]:
    """The lines as the browser says them in English."""
    return [
        " · ".join(ENGLISH[part["name"]].format(**part["values"]) for part in line) for line in in_words(config, rows)
    ]


def plan(micro: int, steps: int, **training: Any) -> RunConfig:
    return RunConfig.default().model_copy(
        update={"training": {"per_device_train_batch_size": micro, "gradient_accumulation_steps": steps, **training}}
    )


def test_the_arithmetic_says_product_updates_and_the_last_window() -> None:
    # 3824 rows: 119 windows of 32 are 3808, and 16 are left
    assert spoken(plan(8, 4, max_steps=60), 3824)[0] == (
        "8 × 4 × 1 device = 32 examples an update · 120 updates an epoch · last window 16"
    )


def test_a_token_budget_is_said_beside_the_examples_that_it_leaves_alone() -> None:
    budget = plan(8, 4).model_copy(update={"micro_batch_tokens": 512})
    assert spoken(budget, 64)[0] == (
        "8 × 4 × 1 device = 32 examples an update · in micro-batches of at most 512 tokens · 2 updates an epoch"
    )
    assert spoken(budget, 7)[0] == (
        "8 × 4 × 1 device = 32, more than there are rows · in micro-batches of at most 512 tokens"
    )


def test_a_plan_that_does_not_divide_is_said() -> None:
    assert "3824 rows do not divide by 32" in spoken(plan(8, 4), 3824)[1]


def test_a_plan_that_divides_is_not_complained_about() -> None:
    # 64 rows in windows of 32: two full ones
    lines = spoken(plan(8, 4, num_train_epochs=1), 64)
    assert lines == [
        "8 × 4 × 1 device = 32 examples an update · 2 updates an epoch",
        "In all 2 updates, one epoch.",
    ]


def test_rows_that_are_not_counted_yet_are_not_guessed() -> None:
    assert spoken(plan(2, 3), None)[0] == "2 × 3 × 1 device = 6 examples an update"
    assert "known once" in spoken(plan(2, 3), None)[1]


def test_rows_that_fill_no_micro_batch_are_said() -> None:
    assert spoken(plan(8, 4, dataloader_drop_last=True), 5)[1].startswith("No update at all: 5 rows")
    assert spoken(plan(8, 4, dataloader_drop_last=True), 1)[1].startswith("No update at all: 1 row ")


def test_fewer_rows_than_the_effective_batch_are_what_each_update_averages_over() -> None:
    # 7 rows in windows of 8 × 4: one window of all 7, in each of the 3 epochs
    assert spoken(plan(8, 4, num_train_epochs=3), 7) == [
        "8 × 4 × 1 device = 32, more than there are rows",
        "7 rows: every update averages over all 7, one update an epoch.",
        "In all 3 updates, 3.0 epochs.",
    ]
    # in micro-batches of 2 and without the short one: 6 of the 7
    dropped = plan(2, 4, num_train_epochs=3, dataloader_drop_last=True)
    assert spoken(dropped, 7)[1] == "7 rows: every update averages over 6 of them, one update an epoch."
    assert spoken(plan(1, 1), 5)[0].startswith("1 × 1 × 1 device = 1 example an update · 5 updates an epoch")
    assert "1 row:" in spoken(plan(8, 4), 1)[1]


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 1000])
def test_every_phrase_has_its_words_and_values(rows: int) -> None:
    assert all("{" not in line for line in spoken(plan(8, 4), rows))
