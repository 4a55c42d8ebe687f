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
