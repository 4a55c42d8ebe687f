"""The arithmetic of a batch plan, against counts done by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.accumulation import Plan
from engine.config import RunConfig


def plan(rows: int, micro_batch: int, steps: int, **training: Any) -> Plan:
    config = RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": "text-generation",
            "data": {"name": "sums"},
            "training": {
                "per_device_train_batch_size": micro_batch,
                "gradient_accumulation_steps": steps,
                **training,
            },
        }
    )
    return Plan.of(config, rows)


def test_ten_rows_1_by_4_over_2_epochs_are_6_updates_with_a_last_window_of_2() -> None:
    found = plan(10, 1, 4, num_train_epochs=2)
    assert (found.updates_per_epoch, found.updates_total, found.last_window_examples) == (3, 6, 2)
    assert not found.divides


def test_three_rows_with_8_steps_are_one_update_an_epoch() -> None:
    assert plan(3, 1, 8).updates_per_epoch == 1


def test_ten_rows_4_by_2_are_2_updates_and_1_when_the_short_micro_batch_is_dropped() -> None:
    # micro-batches 4, 4, 2: windows (4, 4) and (2); without the short one only (4, 4)
    assert plan(10, 4, 2, num_train_epochs=1).updates_total == 2
    dropped = plan(10, 4, 2, num_train_epochs=1, dataloader_drop_last=True)
    assert (dropped.updates_total, dropped.last_window_examples) == (1, 8)


def test_max_steps_decides_over_epochs() -> None:
    found = plan(1024, 8, 4, max_steps=40, num_train_epochs=9)
    # 1024 / 32 = 32 updates an epoch, so 40 updates are 1.25 epochs
    assert (found.updates_total, found.epochs, found.divides) == (40, 1.25, True)


def test_the_effective_batch_is_the_product() -> None:
    found = plan(100, 8, 4)
    assert found.effective_batch == 32
    # 100 = 3 × 32 + 4
    assert found.last_window_examples == 4


@given(rows=st.integers(1, 5000), micro_batch=st.integers(1, 70), steps=st.integers(1, 40), drop=st.booleans())
def test_windows_hold_the_rows_of_an_epoch(rows: int, micro_batch: int, steps: int, drop: bool) -> None:
    found = plan(rows, micro_batch, steps, dataloader_drop_last=drop)
    kept = rows // micro_batch * micro_batch if drop else rows
    sizes = [min(micro_batch, kept - start) for start in range(0, kept, micro_batch)]
    windows = [sum(sizes[start : start + steps]) for start in range(0, len(sizes), steps)]
    assert found.updates_per_epoch == len(windows)
    assert found.last_window_examples == (windows[-1] if windows else 0)


@pytest.mark.parametrize("rows", [0, 3])
def test_no_full_micro_batch_means_no_update(rows: int) -> None:
    assert plan(rows, 4, 2, dataloader_drop_last=True).updates_per_epoch == 0


def test_half_the_micro_batch_is_twice_the_steps_and_all_else_the_same() -> None:
    assert plan(100, 8, 4, max_steps=9).dealt_in(4).to_dict() == plan(100, 4, 8, max_steps=9).to_dict()


def test_an_odd_micro_batch_keeps_the_rows_of_a_window() -> None:
    found = plan(20, 7, 1).dealt_in(4)
    # windows of 7, 7 and 6: 4 + 3, 4 + 3 and 4 + 2
    assert (found.micro_batch, found.accumulation_steps, found.effective_batch) == (4, 2, 7)
    assert (found.updates_per_epoch, found.micro_batches_per_epoch, found.last_window_examples) == (3, 6, 6)
    # 20 rows in 5 × 4 become 3, 3, 3, 3, 3, 3, 2
    assert plan(20, 5, 4).dealt_in(3).accumulation_steps == 7


@given(
    rows=st.integers(1, 5000),
    micro_batch=st.integers(2, 70),
    steps=st.integers(1, 40),
    drop=st.booleans(),
    halvings=st.integers(1, 4),
)
def test_windows_stay_what_they_are_however_they_are_dealt(
    rows: int, micro_batch: int, steps: int, drop: bool, halvings: int
) -> None:
    before = found = plan(rows, micro_batch, steps, dataloader_drop_last=drop)
    for _ in range(halvings):
        found = found.dealt_in(-(-found.micro_batch // 2))
    kept = ("effective_batch", "updates_per_epoch", "updates_total", "last_window_examples", "divides", "epochs")
    assert [found.to_dict()[name] for name in kept] == [before.to_dict()[name] for name in kept]
    assert found.micro_batch * found.accumulation_steps >= found.effective_batch
    assert found.micro_batch * (found.accumulation_steps - 1) < found.effective_batch


def test_a_bound_of_tokens_leaves_the_rows_of_a_micro_batch_alone() -> None:
    assert plan(100, 8, 4).dealt_in(8, tokens=300).to_dict() == {
        **plan(100, 8, 4).to_dict(),
        "micro_batch_tokens": 300,
    }
