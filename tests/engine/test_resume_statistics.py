"""Batch statistics, which move in the forward passes of a window, and not with its update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.errors import RunStopped
from tests.engine.resumption import assert_goes_on, before_micro_batch, same, state, stopped
from tests.engine.test_resume_exact import classifier
from tests.engine.tiny import Trained, bert


def normalised(folder: Path, **changes: Any) -> Trained:
    """As `classifier`, by two rows a micro-batch, with batch statistics of what is classified."""
    model = bert(dropout=0.1)
    model.classifier = torch.nn.Sequential(torch.nn.BatchNorm1d(16), model.classifier)
    return classifier(folder, **{"model": model, "micro_batch": 2, "steps": 2, **changes})


def statistics(run: Trained) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in run.trainer.model.named_buffers() if "classifier" in name}


@pytest.mark.parametrize("number", [4, 12, 14])
def test_batch_statistics_of_a_window_that_was_left_are_put_back(number: int, tmp_path: Path) -> None:
    # windows of 2, 2 and 1 micro-batches, three passes: these stops come after one of two
    whole = normalised(tmp_path / "whole")
    whole.trainer.train()
    expected = state(whole)
    first = stopped(normalised, tmp_path / "first", before_micro_batch(number))
    shorter = normalised(tmp_path / "shorter", gate=before_micro_batch(number - 1))  # between two windows
    with pytest.raises(RunStopped):
        shorter.trainer.train()
    assert same(statistics(first), statistics(shorter)) and int(statistics(first)["classifier.0.num_batches_tracked"])
    assert_goes_on(normalised, tmp_path / "cut", number, whole, expected)
