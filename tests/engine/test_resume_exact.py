"""A run that was stopped and goes on, against one that never stopped: equal to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import IterableDataset
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, LlamaConfig, LlamaForCausalLM

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.events import Event, UpdateDone, WindowSkipped
from engine.trainer import Progress, prepare
from tests.engine.resumption import (
    Make,
    assert_goes_on,
    before_micro_batch,
    gone_on,
    newest,
    state,
    stopped,
    told,
)
from tests.engine.test_prepare import saved
from tests.engine.tiny import Trained, bert, class_rows, text_rows

LENGTHS = [5, 9, 7, 4, 12, 3, 8, 6, 10, 11]


def classifier(folder: Path, **changes: Any) -> Trained:
    """Ten rows in windows of 4, 4 and 2, three passes, with dropout: 9 updates."""
    return Trained(
        **{
            "model": bert(dropout=0.1),
            "rows": class_rows(LENGTHS),
            "folder": folder,
            "micro_batch": 1,
            "steps": 4,
            "num_train_epochs": 3,
            "optim": "adamw_torch",
            "learning_rate": 1e-3,
            "train_sampling_strategy": "random",
            "data_seed": 3,
            "max_grad_norm": 1.0,
            **changes,
        },
    )


def making(**fixed: Any) -> Make:
    return lambda folder, **changes: classifier(folder, **{**fixed, **changes})


EVALUATING: dict[str, Any] = {"evaluation": class_rows([6, 4, 9], seed=5), "eval_strategy": "steps", "eval_steps": 1}

SETTINGS: dict[str, Make] = {
    "linear": making(),
    "cosine, warmed up": making(lr_scheduler_type="cosine", warmup_steps=3),
    "on plateau": making(
        **EVALUATING,
        lr_scheduler_type="reduce_lr_on_plateau",
        lr_scheduler_kwargs={"patience": 0, "factor": 0.5},
    ),
    "evaluated by passes": making(**{**EVALUATING, "eval_strategy": "epoch"}),
    "grouped by length": making(train_sampling_strategy="group_by_length"),
    "short micro-batches dropped": making(micro_batch=3, steps=2, dataloader_drop_last=True, num_train_epochs=6),
    "sorted": making(micro_batch=2, steps=2, options={"window_order": "sorted"}),
    "by tokens": making(options={"micro_batch_tokens": 16}),
    "sgd with momentum": making(optim="sgd", optim_args="momentum=0.9"),
    "adafactor": making(optim="adafactor"),
    "bf16": making(bf16=True),
    "checkpointed activations": making(activation_checkpointing=True),
    "noisy embeddings": making(neftune_noise_alpha=5.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_run_goes_on_from_any_place_as_if_it_had_not_been_stopped(setting: str, tmp_path: Path) -> None:
    make = SETTINGS[setting]
    whole = make(tmp_path / "whole")
    whole.trainer.train()
    expected = state(whole)
    # in the first pass, at its border, in its short last window, in the last pass
    for number in (3, 5, 9, 11, 14, 20, 26):
        assert_goes_on(make, tmp_path / str(number), number, whole, expected)


def test_a_run_goes_on_in_a_later_pass_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    whole = classifier(tmp_path / "whole")
    whole.trainer.train()
    assert_goes_on(classifier, tmp_path / "cut", 17, whole, state(whole))


@pytest.mark.slow
def test_a_run_stopped_three_times_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = classifier(tmp_path / "whole")
    whole.trainer.train()
    first = stopped(classifier, tmp_path / "cut", before_micro_batch(6))
    said = told(first)
    for _ in range(2):
        run = classifier(tmp_path / "cut", gate=before_micro_batch(8))
        with pytest.raises(Exception, match="Stopped"):
            run.trainer.train(resume_from_checkpoint=newest(tmp_path / "cut"))
        run.trainer.leave_checkpoint()
        said += told(run)
    last = gone_on(classifier, tmp_path / "cut")
    assert said + told(last) == told(whole)


@pytest.mark.slow
def test_workers_that_fetch_ahead_change_nothing(tmp_path: Path) -> None:
    whole = classifier(tmp_path / "whole")
    whole.trainer.train()
    make = making(dataloader_num_workers=2)
    for number in (6, 17):
        assert_goes_on(make, tmp_path / str(number), number, whole, state(whole))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["steps", "epoch"])
def test_each_checkpoint_on_the_way_leads_to_the_same_end(strategy: str, tmp_path: Path) -> None:
    make = making(save_strategy=strategy, save_steps=2, **{**EVALUATING, "eval_steps": 2, "eval_strategy": strategy})
    whole = make(tmp_path)
    whole.trainer.train()
    found = sorted(tmp_path.glob("checkpoint-*"))
    assert len(found) >= 3
    for path in found:
        after = int(path.name.split("-")[1])
        again = make(tmp_path / "again")
        again.trainer.train(resume_from_checkpoint=str(path))
        assert told(again) == [entry for entry in told(whole) if entry["update"] > after]


@pytest.mark.slow
def test_stop_in_an_evaluation_makes_up_for_it(tmp_path: Path) -> None:
    make = making(**EVALUATING, lr_scheduler_type="reduce_lr_on_plateau", lr_scheduler_kwargs={"patience": 0})
    whole = make(tmp_path / "whole")
    whole.trainer.train()
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1
        if looks == 4:
            raise before_stop

    from engine.errors import RunStopped

    before_stop = RunStopped("run.stopped")
    first = make(tmp_path / "cut")
    first.trainer.check = check
    with pytest.raises(RunStopped):
        first.trainer.train()
    first.trainer.leave_checkpoint()
    second = gone_on(make, tmp_path / "cut")
    assert told(first) + told(second) == told(whole)


# ---- what a config makes ----


class Prepared:
    """A run that a config makes, in the clothes of `Trained`."""

    def __init__(self, config: RunConfig, folder: Path, cache: Path, gate: Callable[[int], None]) -> None:
        self.events: list[Event] = []
        self.trainer = prepare(
            config, cache=cache, folder=folder.parent, run=1, emit=self.events.append, progress=Progress(), gate=gate
        ).trainer
        self.trainer.args.output_dir = str(folder)


def small_bert(**sizes: Any) -> BertConfig:
    return BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=64,
        hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.2, **sizes,
    )  # fmt: skip


def small_llama(**sizes: Any) -> LlamaConfig:
    return LlamaConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, attention_dropout=0.2, **sizes
    )


CONFIGS: dict[str, tuple[str, Any, Any, str, dict[str, Any]]] = {
    "masks drawn anew": ("fill-mask", BertForMaskedLM, small_bert, "sentiment", {}),
    "adapters": (
        *("text-classification", BertForSequenceClassification, small_bert, "sentiment"),
        {"lora": {"r": 4, "dropout": 0.2}},
    ),
    "packed": ("text-generation", LlamaForCausalLM, small_llama, "sums", {"packing": True, "micro_batch_tokens": 96}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_what_a_config_makes_goes_on_exactly(name: str, tmp_path: Path) -> None:
    task, kind, sizes, data, more = CONFIGS[name]
    config = RunConfig.from_dict(
        {
            "model": saved(kind, sizes, task, tmp_path),
            "task": task,
            "data": {"name": data, "max_length": 32, "eval_rows": 400},
            "training": {
                "per_device_train_batch_size": 4,
                "gradient_accumulation_steps": 4,
                "num_train_epochs": 3,
                "learning_rate": 1e-2,
                "max_steps": 14,
            },
            **more,
        }
    )

    def make(folder: Path, gate: Callable[[int], None] = lambda window: None) -> Any:
        return Prepared(config, folder, tmp_path, gate)

    whole = make(tmp_path / "whole" / "checkpoints")
    whole.trainer.train()
    expected = state(whole)
    for number in (7, 22, 47):
        assert_goes_on(make, tmp_path / str(number) / "checkpoints", number, whole, expected)


# ---- streams ----


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Any:
        return iter(class_rows(LENGTHS))


def streaming(folder: Path, **changes: Any) -> Trained:
    run = classifier(folder, **{"max_steps": 8, **changes})
    run.trainer.train_dataset = Stream()
    return run


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_goes_on_after_the_rows_that_were_met(workers: int, tmp_path: Path) -> None:
    def make(folder: Path, **changes: Any) -> Trained:
        return streaming(folder, dataloader_num_workers=workers, **changes)

    whole = make(tmp_path / "whole")
    whole.trainer.train()
    assert_goes_on(make, tmp_path / "cut", 7, whole, state(whole))


@pytest.mark.slow
def test_a_stream_with_workers_can_t_go_on_in_other_windows(tmp_path: Path) -> None:
    stopped(lambda folder, **more: streaming(folder, dataloader_num_workers=1, **more), tmp_path, before_micro_batch(6))
    with pytest.raises(ConfigError, match="Keep micro-batch"):
        streaming(tmp_path, dataloader_num_workers=1, steps=2).trainer.train(resume_from_checkpoint=newest(tmp_path))


# ---- windows that gave no update ----


@pytest.mark.slow
def test_windows_without_a_target_are_not_met_again(tmp_path: Path) -> None:
    rows = text_rows([6] * 12)
    for row in rows[4:8]:
        row["labels"] = [-100] * 6

    def make(folder: Path, **changes: Any) -> Trained:
        from tests.engine.tiny import llama

        return Trained(llama(), rows, folder, micro_batch=1, steps=2, num_train_epochs=2, **changes)

    whole = make(tmp_path / "whole")
    whole.trainer.train()
    assert len(whole.of(UpdateDone)) == 8 and len(whole.of(WindowSkipped)) == 4
    for number in (4, 5, 9, 15):
        assert_goes_on(make, tmp_path / str(number), number, whole, state(whole))
