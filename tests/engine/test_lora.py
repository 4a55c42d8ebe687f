"""Adapters of low rank: what is trained, that it stays exact, and that what is saved loads again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    BertConfig,
    BertForMaskedLM,
    FNetForSequenceClassification,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
)

from engine.config import LoraSpec
from engine.errors import ConfigError
from engine.models.lora import add_lora
from engine.proof import side_by_side
from engine.session import Session
from engine.store import Store
from tests.engine import tiny
from tests.engine.proofs import on_bench, proof_of
from tests.engine.test_prepare import SENTIMENT, SUMS, fnet, ready, saved
from tests.engine.test_session import config as sums_run
from tests.engine.test_session import until


def trainable(model: Any) -> dict[str, int]:
    return {name: weight.numel() for name, weight in model.named_parameters() if weight.requires_grad}


def adapted(model: Any) -> set[str]:
    """The last names of the layers that have an adapter."""
    return {name.partition(".lora_A")[0].rpartition(".")[2] for name in trainable(model) if ".lora_A" in name}


def beside(model: Any) -> set[str]:
    """The modules that are trained whole."""
    whole = {name for name in trainable(model) if ".lora_" not in name}
    return {name.partition(".modules_to_save")[0].removeprefix("base_model.model.") for name in whole}


# ---- what is trained ----


def test_of_a_causal_model_adapters_alone_are_trained(tmp_path: Path) -> None:
    model = ready(tmp_path, lora={"r": 4}).trainer.model
    assert (adapted(model), beside(model)) == ({"q_proj", "v_proj"}, set())
    # 4 layers, rank 4: q_proj is 192 → 192, v_proj 192 → 2 heads of 32
    assert sum(trainable(model).values()) == 4 * 4 * ((192 + 192) + (192 + 64))


def test_a_new_head_is_trained_beside_the_adapters(tmp_path: Path) -> None:
    model = ready(tmp_path, SENTIMENT, lora={}).trainer.model
    assert (adapted(model), beside(model)) == ({"query", "value"}, {"classifier"})
    # 4 layers, rank 8, two layers of 192 → 192 each; a head of 192 → 2
    assert sum(trainable(model).values()) == 4 * 8 * 2 * (192 + 192) + 192 * 2 + 2


def test_an_architecture_that_peft_does_not_know_is_adapted_in_every_linear_layer_but_the_head(tmp_path: Path) -> None:
    folder = saved(FNetForSequenceClassification, fnet, "text-classification", tmp_path)
    model = ready(tmp_path, SENTIMENT, model=folder, lora={}).trainer.model
    adapters = {name.partition(".lora_A")[0] for name in trainable(model) if ".lora_A" in name}
    layers = {f"fnet.encoder.layer.{layer}.{part}.dense" for layer in (0, 1) for part in ("intermediate", "output")}
    expected = layers | {"fnet.embeddings.projection", "fnet.pooler.dense"}
    assert adapters == {f"base_model.model.{name}" for name in expected}
    assert beside(model) == {"classifier"}


def test_what_the_file_has_no_weights_of_is_trained_whole(tmp_path: Path) -> None:
    def bert(**sizes: Any) -> BertConfig:
        return BertConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, **sizes)

    # a masked language model has no pooler
    folder = saved(BertForMaskedLM, bert, "text-classification", tmp_path)
    found = ready(tmp_path, SENTIMENT, model=folder, lora={})
    assert beside(found.trainer.model) == {"bert.pooler.dense", "classifier"}
    # a new head of language shares its output weights with the embeddings, which stay frozen
    texts = {**SENTIMENT, "task": "text-generation", "data": {"name": "sums", "max_length": 48}}
    model = ready(tmp_path, texts, model="minilm", lora={}).trainer.model
    assert beside(model) == {"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"}


def test_kernels_that_read_a_weight_themselves_are_left_alone() -> None:
    mamba = MambaForCausalLM(MambaConfig(hidden_size=16, num_hidden_layers=1, vocab_size=64, state_size=4))
    assert adapted(add_lora(mamba, LoraSpec(), "text-generation")) == {"in_proj", "x_proj", "dt_proj"}


def test_a_model_without_linear_layers_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.lora.KNOWN", {})
    monkeypatch.setattr("engine.models.lora._is_linear", lambda module: False)
    with pytest.raises(ConfigError) as caught:
        add_lora(tiny.bert(), LoraSpec(), "text-classification")
    assert (caught.value.code, caught.value.field) == ("model.no-lora", "lora")
    assert "BertForSequenceClassification" in caught.value.line


@pytest.mark.parametrize("where", [lambda: torch.device("meta"), FakeTensorMode])
def test_a_model_without_weights_takes_adapters_too(where: Callable[[], Any]) -> None:
    real = add_lora(tiny.bert(), LoraSpec(), "text-classification")
    with where():
        fake = add_lora(tiny.bert(), LoraSpec(), "text-classification")
        ids = torch.zeros(2, 5, dtype=torch.int64)
        fake(input_ids=ids).logits.sum().backward()
    assert trainable(fake) == trainable(real)
    weights = [*fake.parameters()]
    assert len({weight.untyped_storage()._cdata for weight in weights}) == len(weights)
    assert all(weight.grad is not None for weight in fake.parameters() if weight.requires_grad)


def test_adapters_follow_from_the_seed_and_change_nothing_before_the_first_update(tmp_path: Path) -> None:
    first, second = (ready(tmp_path, lora={}).trainer.model.state_dict() for _ in range(2))
    assert all(torch.equal(weight, second[name]) for name, weight in first.items())
    other = ready(tmp_path, lora={}, training={**SUMS["training"], "seed": 7}).trainer.model.state_dict()
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight"
    assert not torch.equal(first[name], other[name])
    rows = tiny.pad(tiny.text_rows([3, 9]))
    plain, wrapped = tiny.llama().eval(), add_lora(tiny.llama(), LoraSpec(), "text-generation").eval()
    assert torch.equal(plain(**rows).logits, wrapped(**rows).logits)


# ---- exactness ----


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"lora": {"dropout": 0.3}},
        {"packing": True},
        {"training": {**SUMS["training"], "activation_checkpointing": True}},
    ],
)
def test_an_accumulated_gradient_of_adapters_is_the_large_batch_gradient(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    proof = proof_of(tmp_path, **{"lora": {}, **changes})
    assert proof.way("accumulated").relative_error < 1e-6  # type: ignore[union-attr]
    assert proof.model_class == "LlamaForCausalLM"


@pytest.mark.slow
def test_adapters_and_a_new_head_are_proved_in_fp64_and_the_stock_trainer_beside_them(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, SENTIMENT, "fp64", lora={})
    assert proof.way("accumulated").relative_error < 1e-12  # type: ignore[union-attr]
    assert proof.way("trainer").norm_ratio == pytest.approx(4.0, abs=1e-9)  # type: ignore[union-attr]
    assert proof.model_class == "BertForSequenceClassification"


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed_activations_reach_the_adapters(reentrant: bool, tmp_path: Path) -> None:
    gradients = []
    for checkpointing in (False, True):
        kwargs = {"activation_checkpointing_kwargs": {"use_reentrant": reentrant}} if checkpointing else {}
        run = tiny.Trained(
            add_lora(tiny.llama(), LoraSpec(), "text-generation"), tiny.text_rows([3, 9, 5, 7]), tmp_path,
            micro_batch=2, steps=2, activation_checkpointing=checkpointing, **kwargs,
        )  # fmt: skip
        run.trainer.train()
        gradients += run.recorder.gradients
    assert gradients[0].norm() > 0
    assert tiny.relative_error(gradients[1], gradients[0]) < 1e-6


@pytest.mark.slow
def test_plans_of_adapters_train_alike_side_by_side(tmp_path: Path) -> None:
    with on_bench(tmp_path, SENTIMENT, lora={"r": 4}) as bench:
        many, one = side_by_side(bench, [((2, 4), "exact"), ((8, 1), "exact")], updates=3)
    assert len(many.losses) == 3
    assert many.apart(one) < 1e-4


# ---- what is saved ----


def run(tmp_path: Path, chosen: Any) -> tuple[dict[str, Any], Path]:
    """The facts of a run and the folder of its model."""
    store = Store(tmp_path / "home")
    session = Session(store)
    session.start()
    try:
        done = until(store, session.submit(chosen), lambda run: run.state not in ("queued", "loading", "running"))
        assert (done.state, done.message) == ("finished", "")
        assert done.facts is not None
        return done.facts, store.home / "runs" / str(done.id) / "model"
    finally:
        session.close()
        store.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_a_run_leaves_the_whole_model_and_the_adapters_beside_it(tmp_path: Path) -> None:
    base = saved(LlamaForCausalLM, small_llama, "text-generation", tmp_path)
    facts, folder = run(tmp_path, sums_run(updates=3, learning_rate=1e-2).model_copy(update=lora(base)))
    # 2 layers, rank 4: q_proj is 32 → 32, v_proj 32 → 32
    assert (facts["model_class"], facts["trainable"]) == ("LlamaForCausalLM", 2 * 4 * 2 * 64)
    whole = AutoModelForCausalLM.from_pretrained(folder)
    adapter = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), folder / "adapter")
    assert json.loads((folder / "adapter" / "adapter_config.json").read_text())["base_model_name_or_path"] == base
    ids = torch.arange(3, 13)[None]
    trained = whole(ids).logits
    assert torch.allclose(trained, adapter(ids).logits, atol=1e-5)
    assert not torch.allclose(trained, AutoModelForCausalLM.from_pretrained(base)(ids).logits, atol=1e-3)
    # and it can be trained on, with new adapters or without
    assert ready(tmp_path, model=str(folder)).trainer.model.config.model_type == "llama"
    assert adapted(ready(tmp_path, model=str(folder), lora={}).trainer.model) == {"q_proj", "v_proj"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_a_new_head_is_saved_with_the_adapters(tmp_path: Path) -> None:
    base = saved(FNetForSequenceClassification, fnet, "text-classification", tmp_path)
    changes = {"task": "text-classification", "data": ready(tmp_path, SENTIMENT).config.data}
    chosen = sums_run(
        updates=2, eval_strategy="steps", eval_steps=1, save_strategy="steps", save_steps=1, load_best_model_at_end=True
    )
    _, folder = run(tmp_path, chosen.model_copy(update={**lora(base), **changes}))
    whole = AutoModelForSequenceClassification.from_pretrained(folder)
    assert set(whole.config.label2id) == {"negative", "positive"}
    plain = AutoModelForSequenceClassification.from_pretrained(base, num_labels=2)
    adapter = PeftModel.from_pretrained(plain, folder / "adapter")
    ids = torch.arange(5, 15)[None]
    assert torch.allclose(whole(ids).logits, adapter.eval()(input_ids=ids).logits, atol=1e-5)


def lora(base: str) -> dict[str, Any]:
    return {"model": base, "lora": LoraSpec(r=4)}


def small_llama(**sizes: Any) -> Any:
    return tiny.LlamaConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64,
        bos_token_id=1, eos_token_id=2, **sizes,
    )  # fmt: skip
