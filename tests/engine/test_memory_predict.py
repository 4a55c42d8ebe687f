"""A predicted window is the measured one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile
from transformers import LlamaConfig

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.memory.account import CATEGORIES, Account
from engine.memory.measure import measure
from engine.memory.predict import Predictor, predict
from engine.memory.reading import read
from engine.memory.rows import Layout, Rows
from engine.memory.storages import tensors_in
from engine.memory.window import ready, run
from tests.engine.fake_hub import fake_hub
from tests.engine.memory_windows import BERT, LLAMA, T5, both, config_of, prepared

WINDOWS = (config_of(LLAMA), config_of(LLAMA, packing=True))

FURTHER = (
    config_of(BERT, bf16=True, activation_checkpointing=True),
    config_of(("tiny-bert", "token-classification", "entities")),
    config_of(T5),
    config_of(BERT),
    config_of(("tiny-bert", "fill-mask", "sentiment"), activation_checkpointing=True),
    config_of(("tiny-bert", "text-classification", "reviews"), optim="adafactor"),
    config_of(LLAMA, bf16=True, optim="adamw_torch"),
    config_of(LLAMA, label_smoothing_factor=0.1, optim="sgd", max_grad_norm=0.0),
    config_of(LLAMA, micro_batch_tokens=100),
    config_of(LLAMA, neftune_noise_alpha=5.0, loss_normalization="trainer"),
    config_of(LLAMA, lora={"r": 4, "alpha": 8, "dropout": 0.1}, activation_checkpointing=True),
    config_of(BERT, lora={"r": 4}, bf16=True),
    config_of(T5, activation_checkpointing=True, micro_batch_tokens=200),
    config_of(("minilm", "text-classification", "stdlib-docstrings")),
    config_of(("smollm2", "text-generation", "python-docs"), length=128),
)


@pytest.mark.parametrize(
    "config", [*WINDOWS, *(pytest.param(each, marks=pytest.mark.slow) for each in FURTHER)], ids=str
)
def test_a_prediction_is_the_measured_peak(config: RunConfig, tmp_path: Path) -> None:
    predicted, measured = both(config, tmp_path)
    assert predicted.peak_bytes == pytest.approx(measured.peak_bytes, rel=0.01)
    assert predicted.parts["weights"] == measured.parts["weights"]
    for account in (predicted, measured):
        assert sum(account.parts.values()) == account.peak_bytes
        assert list(account.parts) == list(CATEGORIES)
        assert (account.micro_batch, account.steps, account.length) == (
            predicted.micro_batch, predicted.steps, predicted.length,
        )  # fmt: skip
    assert (predicted.measured, measured.measured) == (False, True)
    assert (predicted.parameters, predicted.trainable) == (measured.parameters, measured.trainable)


def test_the_ledger_agrees_with_the_profiler_s_peak_of_a_real_step(tmp_path: Path) -> None:
    config = config_of(BERT, length=64)
    trainer = prepared(config, tmp_path).trainer
    layout = Layout.of(config, 8, 2)
    rows = Rows(trainer.model.config, config.task)
    with ready(trainer) as model:
        batches = [rows.batch(layout) for _ in range(2)]
        state = list(trainer.optimizer.optimizer.state.values())
        there = [*model.parameters(), *model.buffers(), *tensors_in([state, [batch for batch, _ in batches]])]
        before = sum(tensor.untyped_storage().nbytes() for tensor in there)
        del there
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            log = run(trainer, model, batches, layout, "cpu")
    assert read(log).peak_bytes == pytest.approx(before + allocator_peak(profiler), rel=0.002)


def allocator_peak(profiler: Any) -> int:
    """The most bytes that were allocated at once since the profiler began."""
    live = peak = 0
    for event in sorted(profiler.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    return peak


# ---- what a prediction is made of ----


@pytest.mark.slow
def test_a_prediction_changes_nothing_outside(tmp_path: Path) -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    rows = torch.ones(4, 8)
    for device in ("cpu", "cuda", "mps"):
        predict(config_of(BERT, bf16=True), cache=tmp_path, device=device)
    assert torch.equal(torch.get_rng_state(), before)
    with torch.autocast("cpu", torch.bfloat16):
        # a CPU's autocast leaves this alone, a GPU's makes it fp32
        assert torch.exp(rows.bfloat16()).dtype is torch.bfloat16
    dropped = torch.nn.functional.dropout(rows.requires_grad_(), 0.5)
    assert "NativeDropout" not in type(dropped.grad_fn).__name__
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_predictors_may_be_asked_in_turns_and_beside_a_run(tmp_path: Path) -> None:
    """The library keeps precision and device once for a process."""
    whole = Predictor(config_of(BERT), cache=tmp_path)
    right = whole.account(8, 2)
    half = Predictor(config_of(BERT, bf16=True), cache=tmp_path)
    halved = half.account(8, 2)
    run = prepared(config_of(BERT, bf16=True), tmp_path)
    assert whole.account(8, 2).parts == right.parts
    assert halved.parts != right.parts
    assert measure(run, 8, 2).parts == halved.parts
    assert half.account(8, 2).parts == halved.parts


def test_real_tensors_keep_the_cpu_s_ways_beside_a_prediction_for_a_gpu() -> None:
    from engine.memory.fakes import fake_conditions

    torch.manual_seed(0)
    query = torch.randn(1, 2, 4, 8, requires_grad=True)

    def work() -> list[torch.Tensor]:
        torch.manual_seed(1)
        found = [
            torch.nn.functional.scaled_dot_product_attention(query, query, query, is_causal=True),
            torch.nn.functional.dropout(query, 0.5),
            torch.softmax(query, -1),
        ]
        with torch.autocast("cpu", torch.bfloat16):
            found.append(torch.exp(query.bfloat16()))
        return found

    right = work()
    with fake_conditions("cuda"):
        found = work()
    for one, two in zip(found, right, strict=True):
        assert one.dtype is two.dtype
        assert torch.equal(one, two)
        assert type(one.grad_fn) is type(two.grad_fn)


@pytest.mark.slow
def test_more_rows_are_more_activations_and_the_same_rest(tmp_path: Path) -> None:
    predictor = Predictor(config_of(BERT), cache=tmp_path)
    small, large = predictor.account(4, 8), predictor.account(16, 2)
    assert large.parts["activations"] > 3 * small.parts["activations"]
    for category in ("weights", "gradients", "optimizer"):
        assert large.parts[category] == pytest.approx(small.parts[category], rel=0.25)
    assert predictor.account(4, 8).peak_bytes == small.peak_bytes


@pytest.mark.slow
def test_a_window_of_many_steps_peaks_like_one_of_two(tmp_path: Path) -> None:
    predictor = Predictor(config_of(BERT), cache=tmp_path)
    assert predictor.account(8, 64).peak_bytes == pytest.approx(predictor.account(8, 2).peak_bytes, rel=0.02)
    assert predictor.account(8, 1).peak_bytes < predictor.account(8, 2).peak_bytes


@pytest.mark.slow
def test_checkpointing_and_half_precision_and_optimizers_count(tmp_path: Path) -> None:
    def peak(device: str = "cpu", **training: Any) -> Account:
        return predict(config_of(LLAMA, length=128, **training), cache=tmp_path, device=device)

    plain = peak()
    assert peak(activation_checkpointing=True).parts["activations"] < 0.5 * plain.parts["activations"]
    assert peak("cuda", bf16=True).parts["activations"] < 0.8 * peak("cuda").parts["activations"]
    assert peak("cuda", fp16=True).peak_bytes == pytest.approx(peak("cuda", bf16=True).peak_bytes, rel=0.01)
    assert peak(optim="sgd").parts["optimizer"] == 0
    # AdamW keeps two numbers a weight and a count of 4 bytes a tensor
    assert plain.parts["optimizer"] == pytest.approx(8 * plain.parameters, rel=0.001)


@pytest.mark.slow
def test_a_cpu_s_attention_under_dropout_does_not_spoil_a_gpu_s(tmp_path: Path) -> None:
    def activations(device: str, length: int) -> int:
        config = config_of(("minilm", "text-classification", "sentiment"), length=length)
        account = Predictor(config, cache=tmp_path, device=device).account(4, 1)
        return max(account.trace.bytes["activations"])

    # all scores at once grow with the square of the length, a GPU's kernel with the length
    assert activations("cuda", 512) == pytest.approx(4 * activations("cuda", 128), rel=0.05)
    assert activations("cpu", 512) > 6 * activations("cpu", 128)


@pytest.mark.slow
def test_a_gpu_s_updates_loop_over_all_weights_at_once(tmp_path: Path) -> None:
    def update(device: str) -> int:
        config = config_of(LLAMA, optim="adamw_torch", length=8)
        account = Predictor(config, cache=tmp_path, device=device).account(1, 1)
        span = account.trace.spans[-1]
        assert span.phase == "update"
        return max(account.trace.bytes["other"][span.start : span.end])

    weights = predict(config_of(LLAMA, length=8), cache=tmp_path).parts["weights"]
    assert update("cuda") > 0.9 * weights
    assert update("cpu") < 0.9 * weights


@pytest.mark.slow
def test_a_large_model_costs_its_configuration_alone(tmp_path: Path) -> None:
    """A model of 8 billion weights, 30 GiB of them, from a folder whose weights are an empty file."""
    LlamaConfig(
        hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, vocab_size=128256, max_position_embeddings=8192,
    ).save_pretrained(tmp_path)  # fmt: skip
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).touch()
    config = config_of((str(tmp_path), "text-generation", "sums"), length=2048)
    account = Predictor(config, cache=tmp_path).account(1, 4)
    assert account.parameters == 8_030_261_248
    # fp32: 4 bytes a weight, as much for its gradient, twice as much for AdamW
    assert account.parts["weights"] == pytest.approx(4 * 8_030_261_248, rel=1e-4)
    assert account.peak_bytes > 16 * 8_030_261_248


def test_a_model_on_the_hub_costs_its_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    LlamaConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=500).save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"never asked for")
    with fake_hub(monkeypatch, models={"ann/large": tmp_path}) as asked:
        account = predict(config_of(("ann/large", "text-generation", "sums")), cache=tmp_path)
    assert account.parameters > 500 * 64
    assert not any("safetensors" in line or "tokenizer" in line for line in asked)
    assert any(line.endswith("config.json") for line in asked)


def test_an_account_survives_json(tmp_path: Path) -> None:
    account = predict(config_of(BERT), cache=tmp_path)
    told = json.loads(json.dumps(account.to_dict(), allow_nan=False))
    assert Account.from_dict(told) == account
    assert len(account.largest) <= 12
    sizes = [each.bytes for each in account.largest]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"model": "minilmm"}, "model.misspelt"),
        ({"model": "owner/never-fetched"}, "model.offline"),
        ({"data": {"name": "sentiment", "max_length": 2000}, "model": "minilm"}, "model.too-long"),
        ({"training": {"optim": "stable_adamw"}}, "training.needs-package"),
    ],
)
def test_what_is_wrong_is_told_as_for_a_run(changes: dict[str, Any], code: str, tmp_path: Path) -> None:
    values = {**config_of(BERT).to_dict(), **changes}
    with pytest.raises(ConfigError) as fault:
        predict(RunConfig.from_dict(values), cache=tmp_path)
    assert fault.value.code == code
