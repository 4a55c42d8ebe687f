"""The bad-input list: what a person may write wrong, the field that the error names, and words it must hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.config.owned import OWNED
from engine.errors import ConfigError

HEAD = "model: tiny-llama\ntask: text-generation\n"
SUMS = HEAD + "data: {name: sums}\n"


def error(text: str, *overrides: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_yaml(text, overrides)
    return caught.value


@pytest.mark.parametrize(
    ("written", "field", "words"),
    [
        # keys
        ("learnin_rate: 1e-4", "learnin_rate", ["no setting", "learning_rate"]),
        ("evaluation_strategy: no", "evaluation_strategy", ["no setting", "eval_strategy"]),
        ("warmup_ratio: 0.1", "warmup_ratio", ["no setting", "warmup_steps"]),
        ("xyzzy: 1", "xyzzy", ["no setting", "TrainingArguments", "transformers 5."]),
        ("3: 1", "3", ["no setting"]),
        # whole numbers
        ("per_device_train_batch_size: 0", "per_device_train_batch_size", ["at least 1", "not 0"]),
        ("per_device_train_batch_size: -8", "per_device_train_batch_size", ["at least 1", "not -8"]),
        ("per_device_train_batch_size: 2.5", "per_device_train_batch_size", ["whole number", "not 2.5"]),
        ("per_device_train_batch_size: eight", "per_device_train_batch_size", ["whole number", "“eight”"]),
        ("per_device_train_batch_size: '8'", "per_device_train_batch_size", ["whole number", "“8”", "quotes"]),
        ("per_device_train_batch_size: true", "per_device_train_batch_size", ["whole number", "not true"]),
        ("per_device_train_batch_size:", "per_device_train_batch_size", ["whole number", "not null"]),
        ("per_device_train_batch_size: [8]", "per_device_train_batch_size", ["whole number", "[8]"]),
        ("per_device_train_batch_size: 3000000000", "per_device_train_batch_size", ["at most 2147483647"]),
        ("per_device_train_batch_size: .inf", "per_device_train_batch_size", ["whole number"]),
        ("gradient_accumulation_steps: 0", "gradient_accumulation_steps", ["at least 1"]),
        ("per_device_eval_batch_size: 0", "per_device_eval_batch_size", ["at least 1"]),
        ("max_steps: 0", "max_steps", ["at least 1", "-1"]),
        ("max_steps: -2", "max_steps", ["at least 1", "-1"]),
        ("seed: -1", "seed", ["at least 0"]),
        ("seed: 4294967296", "seed", ["at most 4294967295"]),
        ("dataloader_num_workers: -1", "dataloader_num_workers", ["at least 0"]),
        ("save_total_limit: 0", "save_total_limit", ["at least 1"]),
        # numbers
        ("learning_rate: -1e-4", "learning_rate", ["above 0", "-0.0001"]),
        ("learning_rate: 0", "learning_rate", ["above 0"]),
        ("learning_rate: '1e-4'", "learning_rate", ["a number", "“1e-4”", "quotes"]),
        ("learning_rate: fast", "learning_rate", ["a number", "“fast”"]),
        ("learning_rate: 1,5", "learning_rate", ["a number", "“1,5”"]),
        ("learning_rate: .nan", "learning_rate", ["a number", "nan"]),
        ("learning_rate: .inf", "learning_rate", ["a number", "inf"]),
        ("learning_rate: null", "learning_rate", ["a number", "null"]),
        ("learning_rate: true", "learning_rate", ["a number", "true"]),
        ("num_train_epochs: 0", "num_train_epochs", ["above 0"]),
        ("max_grad_norm: -1", "max_grad_norm", ["at least 0"]),
        ("warmup_steps: -1", "warmup_steps", ["at least 0"]),
        ("weight_decay: -0.1", "weight_decay", ["at least 0"]),
        ("adam_beta1: 1", "adam_beta1", ["below 1"]),
        ("label_smoothing_factor: 1.5", "label_smoothing_factor", ["at most 1"]),
        ("eval_steps: 0", "eval_steps", ["above 0"]),
        ("eval_steps: 2.5", "eval_steps", ["whole number of updates"]),
        # words
        ("bf16: 1", "bf16", ["true or false", "not 1"]),
        ("bf16: maybe", "bf16", ["true or false", "“maybe”"]),
        ("eval_strategy: sometimes", "eval_strategy", ["“sometimes”", "no, steps, epoch"]),
        ("eval_strategy: false", "eval_strategy", ["false", "no, steps, epoch"]),
        ("lr_scheduler_type: linnear", "lr_scheduler_type", ["“linnear”", "linear"]),
        ("optim: adamw", "optim", ["“adamw”", "adamw_torch"]),
        ("train_sampling_strategy: shuffled", "train_sampling_strategy", ["“shuffled”", "random"]),
        ("run_name: 5", "run_name", ["must be text", "not 5"]),
        ("lr_scheduler_kwargs: '{}'", "lr_scheduler_kwargs", ["mapping", "“{}”"]),
        ("lr_scheduler_kwargs: {1: 2}", "lr_scheduler_kwargs", ["mapping"]),
        ("optim_target_modules: [1]", "optim_target_modules", ["list of texts"]),
        # together
        ("fp16: true\n  bf16: true", "fp16", ["bf16"]),
        ("dataloader_prefetch_factor: 2", "dataloader_prefetch_factor", ["dataloader_num_workers"]),
        ("lr_scheduler_type: reduce_lr_on_plateau", "lr_scheduler_type", ["eval_strategy"]),
        # Birikim's own
        ("output_dir: out", "output_dir", ["home folder", "--home"]),
        ("auto_find_batch_size: 2", "auto_find_batch_size", ["true or false", "not 2"]),
        ("resume_from_checkpoint: x", "resume_from_checkpoint", ["resume"]),
        ("report_to: mlflow", "report_to", ["“mlflow”", "tensorboard", "wandb", "trackio"]),
        ("push_to_hub: true", "push_to_hub", ["uploads nothing"]),
        ("deepspeed: ds.json", "deepspeed", ["launch alone", "launch.accelerate_config"]),
        ("fsdp: full_shard", "fsdp", ["launch alone", "launch.processes"]),
        ("do_predict: true", "do_predict", ["eval_strategy"]),
    ],
)
def test_a_wrong_training_field_is_named_in_one_line(written: str, field: str, words: list[str]) -> None:
    found = error(f"{SUMS}training:\n  {written}\n")
    assert found.field == f"training.{field}"
    assert f"training.{field}" in found.line
    assert "\n" not in found.line
    for word in words:
        assert word in found.line


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("modle: x\n" + SUMS, "modle", ["no setting", "model"]),
        (SUMS + "xyzzy: 1\n", "xyzzy", ["no setting", "training"]),
        (SUMS + "learning_rate: 1e-4\n", "learning_rate", ["no setting", "training"]),
        ("task: text-generation\ndata: {name: sums}\n", "model", ["missing"]),
        ("model: m\ndata: {name: sums}\n", "task", ["missing"]),
        (HEAD, "data", ["missing"]),
        ("model: 5\ntask: t\ndata: {name: sums}\n", "model", ["must be text", "not 5"]),
        ("model:\ntask: t\ndata: {name: sums}\n", "model", ["must be text", "null"]),
        ("model: ''\ntask: t\ndata: {name: sums}\n", "model", ["empty"]),
        (HEAD + "data: sums\n", "data", ["mapping", "“sums”"]),
        (HEAD + "data: {}\n", "data", ["no data", "name", "path", "hub"]),
        (HEAD + "data: {name: sums, path: a.csv}\n", "data.path", ["data.name"]),
        (HEAD + "data: {path: a.csv, hub: o/d, name: sums}\n", "data.path", ["data.name"]),
        (HEAD + "data: {name: sums, split: test}\n", "data.split", ["Hub"]),
        (HEAD + "data: {path: a.csv, config: en}\n", "data.config", ["Hub"]),
        (HEAD + "data: {name: sums, max_lenght: 5}\n", "data.max_lenght", ["no setting", "max_length"]),
        (HEAD + "data: {name: sums, max_length: 1}\n", "data.max_length", ["at least 2", "not 1"]),
        (HEAD + "data: {name: sums, max_length: long}\n", "data.max_length", ["whole number", "“long”"]),
        (HEAD + "data: {name: sums, max_length: 10000000}\n", "data.max_length", ["at most"]),
        (HEAD + "data: {name: sums, eval_rows: 0}\n", "data.eval_rows", ["at least 1"]),
        (SUMS + "loss_normalization: sum\n", "loss_normalization", ["“sum”", "exact, mean-of-means, trainer"]),
        (SUMS + "training: 5\n", "training", ["mapping", "not 5"]),
        (SUMS + "training: []\n", "training", ["mapping", "[]"]),
        (SUMS + "model: again\n", "model", ["twice", "1", "4"]),
        (SUMS + "training:\n  seed: 1\n  seed: 2\n", "training.seed", ["twice", "5", "6"]),
        (SUMS + "packing: 2\n", "packing", ["true or false", "not 2"]),
        (
            HEAD.replace("text-generation", "text-classification") + "data: {name: sentiment}\npacking: true\n",
            "packing",
            ["text-generation"],
        ),
        (SUMS + "training: {num_train_epochs: 1.0e+300}\n", "training.num_train_epochs", ["at most 1000000"]),
        (SUMS + 'training: {run_name: "\\ud800"}\n', "training.run_name", ["no text"]),
        (SUMS + 'training: {lr_scheduler_kwargs: {a: "\\udfff"}}\n', "training.lr_scheduler_kwargs.a", ["no text"]),
        (
            SUMS + "training: {lr_scheduler_kwargs: {a: 99999999999999999999999}}\n",
            "training.lr_scheduler_kwargs.a",
            ["at most"],
        ),
        (SUMS + f"training: {{seed: {10**400}}}\n", "training.seed", ["at most"]),
        (HEAD + 'data: {path: "\\ud800.csv"}\n', "data.path", ["no text"]),
        (SUMS + "window_order: shortest\n", "window_order", ["“shortest”", "sorted, random"]),
        (SUMS + "micro_batch_tokens: 0\n", "micro_batch_tokens", ["at least 1", "not 0"]),
        (SUMS + "loss: my_loss\n", "loss", ["file.py:name", "my_loss"]),
        (SUMS + "trainer: my.py:Class()\n", "trainer", ["file.py:name"]),
        (SUMS + "loss: my.py:f\nloss_normalization: mean-of-means\n", "loss_normalization", ["loss"]),
        (SUMS + "lora: 8\n", "lora", ["mapping", "not 8"]),
        (SUMS + "lora: {rank: 8}\n", "lora.rank", ["no setting", "r, alpha, dropout"]),
        (SUMS + "lora: {alhpa: 8}\n", "lora.alhpa", ["Did you mean alpha?"]),
        (SUMS + "lora: {r: 0}\n", "lora.r", ["at least 1", "not 0"]),
        (SUMS + "lora: {r: 1.5}\n", "lora.r", ["whole number", "not 1.5"]),
        (SUMS + "lora: {alpha: 0}\n", "lora.alpha", ["at least 1"]),
        (SUMS + "lora: {dropout: 1.0}\n", "lora.dropout", ["below 1", "not 1.0"]),
        (SUMS + "lora: {dropout: -0.1}\n", "lora.dropout", ["at least 0"]),
        (SUMS + "lora: {dropout: .nan}\n", "lora.dropout", ["below 1", "not nan"]),
        (SUMS + "lora: {dropout: some}\n", "lora.dropout", ["must be a number"]),
        (SUMS + "launch: 2\n", "launch", ["mapping", "not 2"]),
        (SUMS + "launch: {}\n", "launch", ["neither", "{processes: 2}"]),
        (SUMS + "launch: {processes: null}\n", "launch", ["neither", "{accelerate_config: cluster.yaml}"]),
        (SUMS + "launch: {processes: 0}\n", "launch.processes", ["at least 1", "not 0"]),
        (SUMS + "launch: {processes: 1025}\n", "launch.processes", ["at most 1024", "not 1025"]),
        (SUMS + "launch: {processes: 1.5}\n", "launch.processes", ["whole number", "not 1.5"]),
        (SUMS + "launch: {processes: true}\n", "launch.processes", ["whole number", "not true"]),
        (SUMS + "launch: {process: 2}\n", "launch.process", ["no setting", "processes"]),
        (SUMS + "launch: {accelerate_config: ''}\n", "launch.accelerate_config", ["empty"]),
        (SUMS + "launch: {processes: 2, accelerate_config: a.yaml}\n", "launch.accelerate_config", ["one of the two"]),
        (SUMS + "lunch: {processes: 2}\n", "lunch", ["no setting", "launch"]),
    ],
)
def test_a_wrong_key_or_value_is_named_in_one_line(text: str, field: str, words: list[str]) -> None:
    found = error(text)
    assert found.field == field
    assert "\n" not in found.line
    for word in [field, *words]:
        assert word in found.line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no mapping"]),
        ("# nothing\n", ["no mapping"]),
        ("- model\n", ["no mapping"]),
        ("just words\n", ["no mapping"]),
        ("model: [a\n", ["line 2", "column 1"]),
        ("model: a: b\n", ["line 1", "column 9"]),
        ("model: tiny\n\ttask: x\n", ["line 2"]),
        ("model: a\n---\nmodel: b\n", ["line 2"]),
        ("model: &m a\ntask: *m\n", ["line 2", "alias"]),
        ("? [a]\n: b\n", ["line 1", "key"]),
        ("model: !!python/object/apply:os.system [ls]\n", ["line 1"]),
        ("model: a\x07\n", ["line 1", "column 9"]),
        ("seed: " + "9" * 5000, ["line 1", "digits"]),
        ("[" * 5000, ["brackets"]),
    ],
)
def test_what_is_no_config_says_where(text: str, words: list[str]) -> None:
    found = error(text)
    assert found.field is None
    assert "\n" not in found.line
    for word in words:
        assert word in found.line


def test_of_several_errors_the_first_in_the_file_is_told() -> None:
    errors = ["loss_normalization: sum", "data: {name: sums, max_length: 0}", "packing: 1", "xyzzy: 2", "model: 3"]
    fields = ["loss_normalization", "data.max_length", "packing", "xyzzy", "model"]
    for turn in range(len(errors)):
        text = "\n".join(errors[turn:] + errors[:turn])
        assert error(text).field == fields[turn]
    assert error(f"{SUMS}training: {{seed: 1, max_steps: 0, learning_rate: 0}}").field == "training.max_steps"
    assert error(f"{SUMS}training: {{seed: 1, learning_rate: 0, max_steps: 0}}").field == "training.learning_rate"


@pytest.mark.parametrize(
    ("override", "field", "words"),
    [
        ("training.learning_rate", None, ["training.learning_rate", "KEY=VALUE"]),
        ("=5", None, ["KEY=VALUE"]),
        ("training.=5", None, ["KEY=VALUE"]),
        ("model=[", None, ["model=[", "KEY=VALUE"]),
        ("training.max_step=5", "training.max_step", ["max_steps"]),
        ("training.max_steps=few", "training.max_steps", ["whole number"]),
        ("model.name=x", "model", ["must be text"]),
        ("data.path=rows.csv", "data.path", ["data.name"]),
    ],
)
def test_a_wrong_override_is_told_like_a_wrong_key(override: str, field: str | None, words: list[str]) -> None:
    found = error(SUMS, override)
    assert found.field == field
    for word in words:
        assert word in found.line


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.yaml", None, ["no config file", "absent.yaml"]),
        (".", None, ["is a folder"]),
        ("picture.png", b"\x89PNG\xff\xfe", ["not UTF-8"]),
    ],
)
def test_a_file_that_cant_be_read_is_named(tmp_path: Path, name: str, content: bytes | None, words: list[str]) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        RunConfig.load(tmp_path / name)
    for word in words:
        assert word in caught.value.line


@pytest.mark.parametrize("field", OWNED)
def test_a_field_that_birikim_owns_is_refused_with_the_reason(field: str) -> None:
    found = error(SUMS, f"training.{field}=unheard-of")
    assert found.code == OWNED[field][0]
    assert found.field == f"training.{field}"
    assert found.remedy


def test_a_text_too_long_for_a_config_is_refused_before_it_is_read() -> None:
    found = error("[" + "1," * 40_000 + "]")
    assert found.code == "config.too-long" and "65536" in found.line
