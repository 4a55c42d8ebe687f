"""What a page may not say: every field of TrainingArguments is tried with a hostile value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.checks import check
from engine.config import RunConfig, training_fields
from engine.config.library import LibraryField
from engine.errors import ConfigError
from engine.session import Session
from engine.store import Store

BASE = {"model": "tiny-bert", "task": "text-classification", "data": {"name": "sentiment"}}
TOKEN = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"

HARMLESS = {
    "optim_args": "text that is split at commas into numbers for the optimizer",
    "optim_target_modules": "a pattern over names of modules",
    "lr_scheduler_kwargs": "keyword arguments of one schedule's function, all plain values",
    "liger_kernel_config": "switches of a package that has to be installed; it refuses the others",
    "run_name": "a name for trackers",
    "metric_for_best_model": "looked up among the evaluation's metrics",
    "length_column_name": "a column that our rows don't have",
}
"""Fields that take text or mappings as they are, and why nothing is run, read or written by them."""


def hostile(field: LibraryField) -> list[Any]:
    """A path, a URL, code, and what a mapping of them would be."""
    texts = ["/etc/cron.d/x", "https://evil.example/x", "os:system", "__import__('os').system('x')"]
    return [*texts, *({"callable": text, "path": text} for text in texts[:2]), [texts[0]], 2**62]


def refused(values: dict[str, Any]) -> ConfigError | None:
    try:
        check(RunConfig.from_dict({**BASE, **values}))
    except ConfigError as fault:
        return fault
    return None


@pytest.mark.parametrize("name", list(training_fields()))
def test_a_hostile_value_is_refused_clearly_or_known_to_be_harmless(name: str) -> None:
    for value in hostile(training_fields()[name]):
        fault = refused({"training": {name: value}})
        if fault is None:
            assert name in HARMLESS, f"{name} takes {value!r}"
        else:
            assert fault.field and fault.field.startswith("training.") and fault.remedy


def test_the_table_of_the_harmless_names_nothing_that_is_refused() -> None:
    for name in HARMLESS:
        if name != "liger_kernel_config":
            assert any(refused({"training": {name: value}}) is None for value in hostile(training_fields()[name])), name


@pytest.mark.parametrize(
    "values",
    [
        {"loss": "my_loss.py:smoothed"},
        {"trainer": "my_trainer.py:Mine"},
        {"training": {"output_dir": "/tmp/elsewhere"}},
        {"training": {"resume_from_checkpoint": "/tmp/checkpoint-1"}},
        {"training": {"deepspeed": "/tmp/ds.json"}},
        {"training": {"fsdp_config": "/tmp/fsdp.json"}},
        {"training": {"accelerator_config": "/tmp/accelerate.json"}},
        {"training": {"hub_token": "anything"}},
        {"training": {"logging_dir": "/tmp/logs"}},
        {"training": {"torch_compile_backend": "evil_package"}},
        {"training": {"activation_checkpointing_kwargs": {"context_fn": "os:system"}}},
        {"training": {"log_level": "nonsense"}},
        {"training": {"train_sampling_strategy": "batch_rebalance"}},
        {"training": {"dataloader_num_workers": 100_000}},
        {"trust_remote_code": True},
        {"launch": {"accelerate_config": "/tmp/cluster.yaml"}},
    ],
)
def test_what_runs_code_or_reads_and_writes_elsewhere_is_refused(values: dict[str, Any]) -> None:
    fault = refused(values)
    assert fault is not None and fault.field and fault.message


@pytest.mark.parametrize(
    "values",
    [
        {"training": {"hub_token": TOKEN}},
        {"training": {"run_name": TOKEN}},
        {"training": {"learning_rate": TOKEN}},
        {"training": {"hub_model_id": f"https://ann:{TOKEN}@huggingface.co/x"}},
        {"training": {"lr_scheduler_kwargs": {"x": [TOKEN]}}},
        {"training": {TOKEN: 1}},
        {"model": TOKEN},
        {"model": "https://ann:secret-word@huggingface.co/ann/model"},
        {"task": TOKEN},
        {"data": {"hub": f"ann/{TOKEN}"}},
        {"data": {"name": TOKEN}},
        {TOKEN: "x"},
        {"freeze": [TOKEN]},
        {"device": TOKEN},
    ],
)
def test_a_secret_is_neither_taken_nor_said_back(values: dict[str, Any], tmp_path: Path) -> None:
    store = Store(tmp_path)
    session = Session(store)
    try:
        with pytest.raises(ConfigError) as fault:
            session.submit(RunConfig.from_dict({**BASE, **values}))
        assert store.runs() == []
    finally:
        store.close()
    said = f"{fault.value.line} {fault.value} {json.dumps(fault.value.values, default=str)}"
    assert TOKEN not in said and "secret-word" not in said
    assert fault.value.remedy


def test_a_secret_in_an_override_is_not_said_back() -> None:
    for override in (f"training.hub_token={TOKEN}", f"={TOKEN}", f"model={TOKEN}", f"x: {TOKEN}"):
        with pytest.raises(ConfigError) as fault:
            RunConfig.from_dict(BASE, [override])
        assert TOKEN not in fault.value.line


def test_a_token_in_the_place_of_a_setting_s_name_is_refused_without_it() -> None:
    fault = refused({TOKEN: 1})
    assert fault is not None
    assert fault.code == "config.secret"
    assert "None" not in fault.line
    assert TOKEN not in fault.line
