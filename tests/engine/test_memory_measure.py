"""A measured window leaves no trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.memory.measure import measure
from engine.memory.predict import Predictor
from tests.engine.memory_windows import BERT, LLAMA, config_of, prepared


def fingerprint(trainer: Any) -> dict[str, Any]:
    model = trainer.model
    optimizer = getattr(trainer.optimizer, "optimizer", trainer.optimizer)
    return {
        "weights": [value.detach().clone() for value in (*model.parameters(), *model.buffers())],
        "gradients": [None if value.grad is None else value.grad.clone() for value in model.parameters()],
        "optimizer": [
            value.clone() for state in (optimizer.state.values() if optimizer else ()) for value in state.values()
        ],
        "groups": [
            {key: value for key, value in group.items() if key != "params"}
            for group in (optimizer.param_groups if optimizer else ())
        ],
        "random": [torch.get_rng_state()],
        "modes": [module.training for module in model.modules()],
        "hung on it": sorted(vars(model)),
        "schedule": trainer.lr_scheduler.state_dict() if trainer.lr_scheduler else None,
        "step": trainer.state.global_step,
    }


def assert_same(found: dict[str, Any], right: dict[str, Any]) -> None:
    assert found.keys() == right.keys()
    for key, value in right.items():
        if isinstance(value, list) and value and isinstance(value[0], torch.Tensor | None):
            assert len(found[key]) == len(value), key
            assert all(
                (one is None) == (two is None) and (one is None or torch.equal(one, two))
                for one, two in zip(found[key], value, strict=True)
            ), key
        else:
            assert found[key] == value, key


def test_a_measurement_before_training_leaves_no_trace(tmp_path: Path) -> None:
    one = prepared(config_of(BERT, activation_checkpointing=True, bf16=True), tmp_path)
    one.trainer.model.eval()
    one.trainer.model.classifier.weight.grad = torch.ones_like(one.trainer.model.classifier.weight)
    before = fingerprint(one.trainer)
    measure(one, 4, 2)
    assert_same(fingerprint(one.trainer), before)


def test_a_measurement_between_updates_leaves_no_trace(tmp_path: Path) -> None:
    one = prepared(config_of(LLAMA), tmp_path)
    one.trainer.train()
    before = fingerprint(one.trainer)
    assert before["optimizer"]
    measure(one, 4, 2)
    assert_same(fingerprint(one.trainer), before)


@pytest.mark.slow
def test_training_after_a_measurement_is_training_without_one(tmp_path: Path) -> None:
    trained = []
    for measured in (False, True):
        one = prepared(config_of(LLAMA), tmp_path)
        if measured:
            measure(one, 8, 3)
        one.trainer.train()
        trained.append(fingerprint(one.trainer))
    assert_same(trained[1], trained[0])


@pytest.mark.parametrize(
    "phase",
    [pytest.param("forward", marks=pytest.mark.slow), "backward", pytest.param("update", marks=pytest.mark.slow)],
)
def test_a_window_that_fails_leaves_no_trace(phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = prepared(config_of(BERT), tmp_path)
    before = fingerprint(one.trainer)

    def fail(*given: Any, **named: Any) -> None:
        raise torch.OutOfMemoryError("no room")

    with monkeypatch.context() as patch:
        match phase:
            case "forward":
                patch.setattr(one.trainer, "compute_loss", fail)
            case "backward":
                patch.setattr(one.trainer.accelerator, "backward", fail)
            case "update":
                patch.setattr(one.trainer, "_clip_grad_norm", fail)
        with pytest.raises(torch.OutOfMemoryError, match="no room"):
            measure(one, 4, 2)
    assert_same(fingerprint(one.trainer), before)
    assert measure(one, 4, 2).parts == Predictor(config_of(BERT), cache=tmp_path).account(4, 2).parts


def test_a_measurement_can_be_given_up(tmp_path: Path) -> None:
    one = prepared(config_of(BERT), tmp_path)
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise KeyboardInterrupt

    before = fingerprint(one.trainer)
    with pytest.raises(KeyboardInterrupt):
        measure(one, 4, 4, check=check)
    assert_same(fingerprint(one.trainer), before)
