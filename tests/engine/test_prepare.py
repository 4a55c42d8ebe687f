"""What is settled by trying before the first update: the order of a window's rows, packing, who shifts the labels."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BartConfig,
    BartForCausalLM,
    BartForConditionalGeneration,
    BloomConfig,
    BloomForCausalLM,
    FNetConfig,
    FNetForSequenceClassification,
    LlamaForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    PreTrainedModel,
    ProphetNetConfig,
    ProphetNetForCausalLM,
    XLNetConfig,
    XLNetLMHeadModel,
    set_seed,
)

from engine import datasets
from engine.config import DataConfig, RunConfig
from engine.errors import ConfigError
from engine.models import tiny
from engine.trainer import COUNT, Prepared, prepare

SUMS = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 48, "eval_rows": 8},
    "training": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "max_steps": 2},
}
SENTIMENT = {**SUMS, "model": "tiny-bert", "task": "text-classification"} | {
    "data": {"name": "sentiment", "max_length": 48, "eval_rows": 8}
}


def ready(tmp_path: Path, base: dict[str, Any] = SUMS, **changes: Any) -> Prepared:
    config = RunConfig.from_dict({**base, **changes})
    return prepare(
        config, cache=tmp_path / "cache", folder=tmp_path / "run", run=1, emit=lambda event: None, progress=None
    )


def saved(model: type[PreTrainedModel], config: Any, task: str, tmp_path: Path) -> str:
    """A folder with a random model and a tokenizer of the data."""
    data = "sums" if task == "text-generation" else "sentiment"
    texts = [row["text"] for row in datasets.load(DataConfig(name=data), task, seed=42, cache=tmp_path).train]
    build = tiny.llama_tokenizer if task == "text-generation" else tiny.bert_tokenizer
    tokenizer = build(texts)
    set_seed(3)
    made = model(config(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id))
    folder = tmp_path / "model"
    made.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def opt(**sizes: Any) -> OPTConfig:
    return OPTConfig(
        hidden_size=32, word_embed_proj_dim=32, ffn_dim=32, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=64, dropout=0.0, bos_token_id=1, eos_token_id=2, **sizes,
    )  # fmt: skip


def bloom(**sizes: Any) -> BloomConfig:
    return BloomConfig(hidden_size=64, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2, **sizes)


def prophetnet(**sizes: Any) -> ProphetNetConfig:
    return ProphetNetConfig(
        hidden_size=64, num_decoder_layers=2, num_encoder_layers=2, decoder_ffn_dim=64, encoder_ffn_dim=64,
        num_decoder_attention_heads=4, num_encoder_attention_heads=4, max_position_embeddings=64, dropout=0.0,
        attention_dropout=0.0, activation_dropout=0.0, bos_token_id=1, eos_token_id=2, is_decoder=True, **sizes,
    )  # fmt: skip


def bart(**sizes: Any) -> BartConfig:
    return BartConfig(
        d_model=32, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, max_position_embeddings=64, dropout=0.0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None, **sizes,
    )  # fmt: skip


def fnet(**sizes: Any) -> FNetConfig:
    return FNetConfig(
        hidden_size=32, num_hidden_layers=2, intermediate_size=32, max_position_embeddings=64,
        hidden_dropout_prob=0.0, **sizes,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        ({}, "sorted"),
        ({"window_order": "random"}, "random"),
        ({"loss_normalization": "mean-of-means"}, "random"),
        ({"loss_normalization": "mean-of-means", "window_order": "sorted"}, "sorted"),
        ({"packing": True}, "random"),
        ({"training": {**SUMS["training"], "label_smoothing_factor": 0.1}}, "sorted"),
    ],
)
def test_rows_are_sorted_where_that_changes_nothing_but_the_padding(
    changes: dict[str, Any], order: str, tmp_path: Path
) -> None:
    assert ready(tmp_path, **changes).trainer.window_order == order


def test_rows_of_one_length_are_left_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "even.txt"
    path.write_text("abcd\n" * 40)
    data = {"path": str(path), "max_length": 16}
    assert ready(tmp_path, data=data).trainer.window_order == "random"


def test_a_head_that_padding_changes_keeps_its_rows_as_they_come(tmp_path: Path) -> None:
    folder = saved(FNetForSequenceClassification, fnet, "text-classification", tmp_path)
    found = ready(tmp_path, SENTIMENT, model=folder)
    assert found.trainer.window_order == "random"
    codes = [code for code, _ in found.notices]
    assert "model.padding-counts" in codes and "model.padding-matters" not in codes
    # who asks for it gets it, and is told
    found = ready(tmp_path, SENTIMENT, model=folder, window_order="sorted")
    assert found.trainer.window_order == "sorted"
    assert "model.padding-matters" in [code for code, _ in found.notices]
    assert ready(tmp_path, SENTIMENT).trainer.window_order == "sorted"


def test_a_head_that_reads_what_it_is_to_predict_is_told(tmp_path: Path) -> None:
    def xlnet(**sizes: Any) -> XLNetConfig:
        return XLNetConfig(d_model=32, n_layer=1, n_head=2, d_inner=32, dropout=0.0, **sizes)

    folder = saved(XLNetLMHeadModel, xlnet, "text-generation", tmp_path)
    assert "model.reads-ahead" in [code for code, _ in ready(tmp_path, model=folder).notices]
    assert "model.reads-ahead" not in [code for code, _ in ready(tmp_path).notices]


def test_padding_is_seen_in_a_fresh_head_whose_loss_it_hardly_moves(tmp_path: Path) -> None:
    folder = saved(ProphetNetForCausalLM, prophetnet, "text-generation", tmp_path)
    assert ready(tmp_path, model=folder).trainer.window_order == "random"


def test_a_row_above_the_token_budget_is_an_error_before_the_start(tmp_path: Path) -> None:
    longest = max(len(row["input_ids"]) for row in ready(tmp_path).train)
    assert ready(tmp_path, micro_batch_tokens=longest).trainer.micro_batch_tokens == longest
    with pytest.raises(ConfigError) as caught:
        ready(tmp_path, micro_batch_tokens=longest - 1)
    assert (caught.value.code, caught.value.field) == ("data.row-above-budget", "micro_batch_tokens")
    assert str(longest) in caught.value.line


def test_a_model_that_reads_across_packed_rows_is_refused_with_the_measure(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        ready(tmp_path, model=saved(OPTForCausalLM, opt, "text-generation", tmp_path), packing=True)
    assert (caught.value.code, caught.value.field) == ("model.no-packing", "packing")
    assert "OPTForCausalLM" in caught.value.line and "%" in caught.value.line


def test_a_fresh_model_that_reads_across_packed_rows_is_refused_though_its_loss_hardly_moves(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        ready(tmp_path, model=saved(BloomForCausalLM, bloom, "text-generation", tmp_path), packing=True)
    assert (caught.value.code, caught.value.field) == ("model.no-packing", "packing")


def test_packed_micro_batches_of_a_run_hold_no_padding(tmp_path: Path) -> None:
    found = ready(tmp_path, packing=True)
    window = next(iter(found.trainer.get_train_dataloader()))
    assert len(window) == 2
    for batch in window:
        assert batch["input_ids"].shape[0] == 1 and batch[COUNT].examples == 4 and batch[COUNT].padded == 0


def test_a_decoder_that_does_not_shift_is_given_the_token_after(tmp_path: Path) -> None:
    found = ready(tmp_path, model=saved(BartForCausalLM, bart, "text-generation", tmp_path))
    assert not found.shifts
    [row] = found.train[:1]
    batch = found.trainer.data_collator([row])
    assert batch["labels"].tolist() == [[*row["input_ids"][1:], -100]]
    assert batch[COUNT].targets == len(row["input_ids"]) - 1
    # the loss is then that of predicting each next token
    with torch.no_grad():
        output = found.trainer.model.eval()(input_ids=batch["input_ids"], labels=batch["labels"])
        expected = torch.nn.functional.cross_entropy(output.logits[0, :-1], batch["input_ids"][0, 1:])
    assert float(output.loss) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("training", [{}, {"label_smoothing_factor": 0.1}])
def test_the_decoder_of_a_masked_language_model_reads_the_text_and_not_padding(
    training: dict[str, Any], tmp_path: Path
) -> None:
    folder = saved(BartForConditionalGeneration, bart, "fill-mask", tmp_path)
    found = ready(tmp_path, SENTIMENT, model=folder, task="fill-mask", training={**SENTIMENT["training"], **training})
    batch = next(iter(found.trainer.get_train_dataloader()))[0]
    read, masked = batch["decoder_input_ids"], batch["input_ids"]
    assert torch.equal(read[:, 1:], masked[:, :-1])
    assert set(read[:, 0].tolist()) == {found.trainer.model.config.decoder_start_token_id}
    # as in the pipeline that fills gaps, which gives the model the masked text alone
    model, mask = found.trainer.model.eval(), batch["attention_mask"]
    with torch.no_grad():
        alone = model(input_ids=masked, attention_mask=mask).logits
        given = model(input_ids=masked, attention_mask=mask, decoder_input_ids=read, labels=batch["labels"]).logits
    assert torch.allclose(alone, given)


def test_probing_leaves_the_random_state_and_the_weights_as_they_were(tmp_path: Path) -> None:
    first, second = ready(tmp_path), ready(tmp_path, window_order="random")
    assert isinstance(first.trainer.model, LlamaForCausalLM)
    for name, weight in first.trainer.model.state_dict().items():
        assert torch.equal(weight, second.trainer.model.state_dict()[name])
    draws = [torch.rand(3)]
    ready(tmp_path)
    draws.append(torch.rand(3))
    ready(tmp_path, window_order="random")
    assert torch.equal(draws[1], torch.rand(3))


@pytest.mark.parametrize(
    ("training", "field"),
    [
        ({"optim_args": "a=b=c"}, "training.optim_args"),
        ({"lr_scheduler_kwargs": {"last_epoch": "x"}}, "training.lr_scheduler_kwargs"),
        ({"lr_scheduler_type": "cosine", "lr_scheduler_kwargs": {"cycles": 3}}, "training.lr_scheduler_kwargs"),
        ({"use_liger_kernel": True}, "training.use_liger_kernel"),
        ({"optim": "galore_adamw"}, "training.optim"),
    ],
)
def test_what_an_optimizer_or_a_schedule_refuses_is_told_before_the_first_update(
    training: dict[str, Any], field: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        ready(tmp_path, training={**SUMS["training"], **training})
    assert caught.value.field == field


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about a machine without a GPU")
def test_bf16_trains_on_a_cpu(tmp_path: Path) -> None:
    trainer = ready(tmp_path, training={**SUMS["training"], "bf16": True}).trainer
    assert (trainer.accelerator.mixed_precision, trainer.args.device.type) == ("bf16", "cpu")
