"""Weights loaded in 8 or 4 bits, beside which adapters are trained."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engine import support
from engine.checks import check
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.memory.predict import predict
from engine.session import Session
from engine.store import Store

HERE = find_spec("bitsandbytes") is not None


def config(**changes: Any) -> RunConfig:
    return RunConfig.from_dict(
        {
            "model": "minilm",
            "task": "text-classification",
            "data": {"name": "sentiment", "max_length": 32, "eval_rows": 8},
            "training": {
                "per_device_train_batch_size": 2, "gradient_accumulation_steps": 2, "max_steps": 2, "use_cpu": True
            },
            "lora": {"r": 4},
            "quantization": "4bit",
            **changes,
        }
    )  # fmt: skip


def test_weights_in_few_bits_ask_for_adapters() -> None:
    with pytest.raises(ConfigError) as fault:
        config(lora=None)
    assert (fault.value.code, fault.value.field) == ("config.quantization-lora", "quantization")


def test_without_the_package_it_is_said_before_anything_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as fault:
        check(config())
    assert fault.value.code == "training.needs-package" and "bitsandbytes" in fault.value.line


def test_its_memory_is_measured_and_not_predicted(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        predict(config(), cache=tmp_path)
    assert fault.value.code == "memory.quantized"


@pytest.mark.slow
@pytest.mark.skipif(not HERE, reason="bitsandbytes is not installed")
@pytest.mark.parametrize("bits", ["8bit", "4bit"])
def test_a_model_in_few_bits_is_trained_and_saved_whole(bits: str, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    store = Store(tmp_path)
    session = Session(store)
    session.start()
    try:
        run = session.wait(session.submit(config(quantization=bits)), 240)
        assert (run.state, run.update) == ("finished", 2), run.message
        assert run.facts["trainable"] < run.facts["parameters"] / 10
    finally:
        session.close()
        store.close()
    folder = tmp_path / "runs" / "1" / "model"
    assert (folder / "adapter" / "adapter_model.safetensors").is_file()
    saved = AutoModelForSequenceClassification.from_pretrained(folder)
    assert saved.config.to_dict().get("quantization_config") is None
    assert all(weight.is_floating_point() for weight in saved.parameters())


@pytest.mark.skipif(not HERE, reason="bitsandbytes is not installed")
def test_a_model_built_in_code_has_nothing_to_load(tmp_path: Path) -> None:
    from tests.engine.memory_windows import prepared

    with pytest.raises(ConfigError) as fault:
        prepared(config(model="tiny-bert"), tmp_path)
    assert fault.value.code == "quantization.in-code"
