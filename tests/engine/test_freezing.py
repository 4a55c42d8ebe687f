"""Weights that stay as they are."""

from pathlib import Path
from typing import Any

import pytest

from engine.config import RunConfig
from engine.errors import ConfigError
from tests.engine.memory_windows import BERT, LLAMA, T5, config_of, prepared


def frozen(what: tuple[str, str, str], freeze: Any, **training: Any) -> RunConfig:
    return RunConfig.from_dict({**config_of(what, **training).to_dict(), "freeze": freeze})


def trained(config: RunConfig, folder: Path) -> set[str]:
    model = prepared(config, folder).trainer.model
    return {name for name, weight in model.named_parameters() if weight.requires_grad}


def test_a_frozen_encoder_leaves_the_head_alone_to_train(tmp_path: Path) -> None:
    assert trained(frozen(BERT, "encoder"), tmp_path) == {"classifier.weight", "classifier.bias"}


def test_what_the_head_shares_with_the_encoder_is_trained(tmp_path: Path) -> None:
    assert trained(frozen(LLAMA, "encoder"), tmp_path) == {"model.embed_tokens.weight"}
    left = trained(frozen(T5, "encoder"), tmp_path)
    assert "shared.weight" in left and any(name.startswith("decoder.") for name in left)
    assert not any(name.startswith("encoder.") for name in left)


def test_patterns_freeze_what_they_name(tmp_path: Path) -> None:
    left = trained(frozen(BERT, ["bert.embeddings.*", "bert.encoder.layer.[01].*"]), tmp_path)
    assert not any(name.startswith(("bert.embeddings.", "bert.encoder.layer.0.")) for name in left)
    assert any(name.startswith("bert.encoder.layer.2.") for name in left)


@pytest.mark.parametrize(
    ("freeze", "code"),
    [(["*"], "freeze.all"), (["no.such"], "freeze.no-match"), (["bert.embedding.*"], "freeze.no-match")],
)
def test_a_pattern_without_a_weight_and_weights_without_a_pattern_are_told(
    freeze: list[str], code: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as fault:
        prepared(frozen(BERT, freeze), tmp_path)
    assert fault.value.code == code and fault.value.field == "freeze"


@pytest.mark.parametrize("freeze", ["body", [], [""], [1], {"a": 1}, 3, True])
def test_what_is_no_freezing_is_refused(freeze: Any) -> None:
    with pytest.raises(ConfigError) as fault:
        frozen(BERT, freeze)
    assert fault.value.code == "config.freeze"


def test_adapters_and_freezing_exclude_each_other() -> None:
    with pytest.raises(ConfigError) as fault:
        RunConfig.from_dict({**config_of(BERT).to_dict(), "freeze": "encoder", "lora": {}})
    assert fault.value.code == "config.freeze-lora"


def test_a_frozen_run_moves_its_head_and_nothing_else(tmp_path: Path) -> None:
    trainer = prepared(frozen(BERT, "encoder", learning_rate=0.01), tmp_path).trainer
    before = {name: weight.detach().clone() for name, weight in trainer.model.named_parameters()}
    trainer.train()
    moved = {name for name, weight in trainer.model.named_parameters() if not weight.equal(before[name])}
    assert moved == {"classifier.weight", "classifier.bias"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("freeze", "training"), [("encoder", {}), (["bert.embeddings.*"], {"activation_checkpointing": True})]
)
def test_a_frozen_window_is_predicted_as_it_is_measured(freeze: Any, training: dict[str, Any], tmp_path: Path) -> None:
    from tests.engine.memory_windows import both

    predicted, measured = both(frozen(BERT, freeze, **training), tmp_path)
    assert predicted.peak_bytes == measured.peak_bytes
    assert predicted.parts == measured.parts
    assert predicted.trainable == measured.trainable < predicted.parameters
    assert predicted.parts["gradients"] < predicted.parts["weights"]


def test_the_proof_of_a_frozen_window_is_exact(tmp_path: Path) -> None:
    from engine.proof import Bench, prove

    config = frozen(BERT, "encoder")
    with Bench.of(config, cache=tmp_path, folder=tmp_path) as bench:
        found = prove(bench, [(8, 3)])
    way = found.way("accumulated", (8, 3))
    assert way is not None and way.relative_error < 1e-6
