"""What a run could do with less memory."""

from typing import Any

import pytest

from engine.config import RunConfig
from engine.memory.savers import savers


def config(training: dict[str, Any] | None = None, **values: Any) -> RunConfig:
    base = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums", "max_length": 32}}
    plan = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4}
    return RunConfig.from_dict({**base, **values, "training": {**plan, **(training or {})}})


def ways(found: RunConfig) -> dict[str, RunConfig]:
    return {saver.code: saver.config for saver in savers(found)}


def test_each_way_changes_one_thing() -> None:
    plain = config()
    found = ways(plain)
    assert list(found) == ["halved", "checkpointing", "bf16", "lora"]
    assert (found["halved"].micro_batch, found["halved"].accumulation_steps) == (4, 8)
    assert found["checkpointing"].training == {**plain.training, "activation_checkpointing": True}
    assert found["bf16"].training == {**plain.training, "bf16": True}
    assert found["lora"].lora is not None and found["lora"].lora.r == 8
    assert "lora" not in ways(found["lora"])
    for changed in found.values():
        assert (changed.model, changed.data, changed.task) == (plain.model, plain.data, plain.task)


@pytest.mark.parametrize(
    ("training", "gone"),
    [
        ({"per_device_train_batch_size": 1}, "halved"),
        ({"per_device_train_batch_size": 7}, "halved"),
        ({"activation_checkpointing": True}, "checkpointing"),
        ({"gradient_checkpointing": True}, "checkpointing"),
        ({"bf16": True}, "bf16"),
        ({"fp16": True}, "bf16"),
    ],
)
def test_a_way_that_is_taken_or_does_not_go_is_not_offered(training: dict[str, Any], gone: str) -> None:
    found = ways(config(training))
    assert gone not in found and len(found) >= 2


def test_tokens_are_halved_where_the_longest_row_still_fits() -> None:
    halved = ways(config(micro_batch_tokens=100))["halved"]
    assert (halved.micro_batch_tokens, halved.micro_batch, halved.accumulation_steps) == (50, 8, 4)
    assert "halved" not in ways(config(micro_batch_tokens=63))
    written = {"task": "text2text-generation", "model": "tiny-t5", "micro_batch_tokens": 100}
    assert "halved" not in ways(config(**written))


def test_what_would_change_the_update_is_not_offered() -> None:
    assert "halved" not in ways(config(loss_normalization="mean-of-means"))
