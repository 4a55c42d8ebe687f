"""Targets, weights and window losses, against arithmetic done by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.accumulation import count_targets, shifts_labels, window_loss, window_weights

LABELS = torch.tensor([[5, 6, 7, 8, 9], [5, 6, -100, -100, -100]])


def test_a_window_of_3_targets_at_2_and_9_at_1_has_loss_1_25() -> None:
    # (3 × 2.0 + 9 × 1.0) / 12 = 15 / 12; the mean of means would be 1.5, the undivided sum 3.0
    weights = window_weights([3, 9])
    assert weights == [0.25, 0.75]
    assert window_loss([2.0, 1.0], weights) == 1.25


def test_mean_of_means_gives_each_micro_batch_the_same_weight() -> None:
    assert window_loss([2.0, 1.0], window_weights([3, 9], "mean-of-means")) == 1.5


def test_seven_class_rows_in_micro_batches_of_2_2_2_1_weigh_by_row() -> None:
    # rows 1..6 have loss 1, the seventh 8: (6 × 1 + 8) / 7 = 2; the mean of means is (1+1+1+8)/4 = 2.75
    weights = window_weights([2, 2, 2, 1])
    assert window_loss([1.0, 1.0, 1.0, 8.0], weights) == pytest.approx(2.0)


def test_a_causal_head_counts_shifted_labels() -> None:
    assert count_targets({"labels": LABELS}, shifts=True) == 4 + 1
    assert count_targets({"labels": torch.tensor([[-100, -100, 7, 8, 9]])}, shifts=True) == 3


def test_a_head_that_does_not_shift_counts_all_labels() -> None:
    assert count_targets({"labels": LABELS}, shifts=False) == 5 + 2


def test_shift_labels_are_counted_as_given() -> None:
    given_labels = torch.tensor([[6, 7, 8, 9, -100], [6, -100, -100, -100, -100]])
    assert count_targets({"labels": LABELS, "shift_labels": given_labels}, shifts=True) == 5


def test_class_labels_count_one_a_row() -> None:
    assert count_targets({"labels": torch.tensor([0, 1, 1])}, shifts=False) == 3


def test_numbers_and_multi_hot_labels_count_one_a_row() -> None:
    assert count_targets({"labels": torch.tensor([0.5, -100.0, 2.0])}, shifts=False) == 3
    assert count_targets({"labels": torch.tensor([[0.0, 1.0], [1.0, 1.0]])}, shifts=False) == 2


def test_packed_rows_hold_the_targets_of_the_padded_ones() -> None:
    # rows [1,2,3] and [4,5,6,7]: 2 + 3 targets; packed, the first label of each row is masked
    packed = torch.tensor([[-100, 2, 3, -100, 5, 6, 7]])
    padded = torch.tensor([[1, 2, 3, -100], [4, 5, 6, 7]])
    assert count_targets({"labels": packed}, shifts=True) == 5 == count_targets({"labels": padded}, shifts=True)


def test_a_micro_batch_without_a_target_weighs_nothing() -> None:
    assert window_weights([0, 4]) == [0.0, 1.0]
    assert window_loss([math.nan, 2.0], [0.0, 1.0]) == 2.0
    assert window_weights([0, 0]) == [0.0, 0.0]


@given(st.lists(st.integers(0, 500), min_size=1, max_size=64))
def test_exact_weights_are_shares_of_the_targets(targets: list[int]) -> None:
    weights = window_weights(targets)
    assert sum(weights) == pytest.approx(1.0 if any(targets) else 0.0)
    assert all((weight == 0) == (count == 0) for weight, count in zip(weights, targets, strict=True))


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=60), st.data())
def test_any_dealing_of_the_targets_gives_the_mean_over_all_of_them(losses: list[float], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(losses)), max_size=8)) | {len(losses)})
    parts = [losses[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    means = [sum(part) / len(part) for part in parts]
    weights = window_weights([len(part) for part in parts])
    assert window_loss(means, weights) == pytest.approx(sum(losses) / len(losses), abs=1e-9)


def _mean_loss(batch: dict[str, torch.Tensor], *, shift: bool) -> torch.Tensor:
    labels = batch["labels"][..., 1:] if shift else batch["labels"]
    logits = torch.zeros(*labels.shape, 16)
    return torch.nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten())


@pytest.mark.parametrize("shift", [True, False])
def test_the_probe_finds_by_behaviour_whether_a_loss_shifts(shift: bool) -> None:
    example = {"input_ids": torch.tensor([[1, 2, 3]]), "labels": torch.tensor([[1, 2, 3]])}
    assert shifts_labels(lambda batch: _mean_loss(batch, shift=shift), example) is shift


def test_a_loss_that_raises_without_a_target_shifts() -> None:
    def refuses(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        raise ValueError("no target")

    example = {"input_ids": torch.tensor([[1, 2, 3]]), "labels": torch.tensor([[1, 2, 3]])}
    assert shifts_labels(refuses, example)


def test_class_labels_have_nothing_to_shift() -> None:
    example = {"input_ids": torch.tensor([[1, 2, 3]]), "labels": torch.tensor([1])}
    assert not shifts_labels(lambda batch: torch.tensor(math.nan), example)
