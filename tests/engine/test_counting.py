"""What a window's rows count, in the session's turn: labels, targets, and the stock Trainer's count."""

from __future__ import annotations

from typing import Any

import pytest

from engine.config import RunConfig
from engine.session import Session

ROWS = 4


def found_by(session: Session, model: str, task: str, data: str, **changes: Any) -> dict[str, Any]:
    config = {
        "model": model,
        "task": task,
        "data": {"name": data, "max_length": 32},
        "training": {"per_device_train_batch_size": ROWS, "gradient_accumulation_steps": 1},
        **changes,
    }
    run = session.wait(session.count(RunConfig.from_dict(config), "counted"), 240)
    assert (run.state, run.code, run.kind, run.name) == ("finished", "count.finished", "count", "counted"), run.message
    _, found = session.store.result(run.id)
    assert found is not None
    return found


def marked(found: dict[str, Any]) -> int:
    return sum(int(row["targets"]) for row in found["rows"])


@pytest.mark.slow
def test_nothing_predicts_the_first_token_of_a_row_packed_or_padded(session: Session) -> None:
    padded = found_by(session, "tiny-llama", "text-generation", "sums")
    packed = found_by(session, "tiny-llama", "text-generation", "sums", packing=True)
    assert padded["shifts"] and padded["examples"] == packed["examples"] == ROWS
    assert padded["targets"] == padded["labels"] - ROWS == padded["positions"] - padded["padded"] - ROWS
    assert packed["targets"] == padded["targets"] and packed["padded"] == 0
    assert padded["stock"] == padded["targets"] == marked(padded) == marked(packed)
    first = padded["rows"][0]["pieces"]
    assert not first[0]["target"] and first[1]["target"] and "=" in first[1]["text"]


@pytest.mark.slow
def test_masks_and_classes_have_targets_of_their_own(session: Session) -> None:
    masked = found_by(session, "tiny-bert", "fill-mask", "sentiment")
    tokens = masked["positions"] - masked["padded"]
    assert not masked["shifts"] and ROWS <= masked["targets"] == masked["labels"] < tokens / 2
    classes = found_by(session, "tiny-bert", "text-classification", "sentiment")
    assert classes["targets"] == classes["labels"] == ROWS
    assert all(row["label"] for row in classes["rows"])


@pytest.mark.slow
def test_the_stock_trainer_goes_by_a_name_where_the_loss_shifts(session: Session) -> None:
    # BertLMHeadModel shifts its labels, and its config does not say so
    found = found_by(session, "minilm", "text-generation", "sums")
    assert found["model_class"] == "BertLMHeadModel" and found["shifts"]
    assert (found["targets"], found["stock"]) == (found["labels"] - ROWS, found["labels"])
