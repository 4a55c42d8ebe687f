"""Samples while a run trains: what they hold for each task, and that the training can't tell."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from transformers import TrainerCallback

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.events import SampleTaken
from engine.inference import generated
from engine.session import Session
from engine.session import runner as runner_module
from engine.trainer import sampled
from engine.trainer.sampling import take_samples
from engine.trainer.undisturbed import undisturbed
from tests.engine.task_runs import TaskRun

SUMS = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}
TASKS: dict[str, tuple[str, str, dict[str, Any], str, str]] = {
    "text": ("tiny-llama", "text-generation", {"name": "sums"}, "12 + 30 =", "text"),
    "to text": ("tiny-t5", "text2text-generation", {"name": "sums"}, "12+30=", "text"),
    "class": ("tiny-bert", "text-classification", {"name": "sentiment"}, "A good film", "class"),
    "classes": ("tiny-bert", "text-classification", {"name": "reviews"}, "A good film", "classes"),
    "number": (
        *("tiny-bert", "text-classification", {"name": "reviews", "problem_type": "regression"}, "A good film"),
        "number",
    ),
    "tags": ("tiny-bert", "token-classification", {"name": "entities"}, "Anna lives in Oslo", "tags"),
    "masks": ("tiny-bert", "fill-mask", {"name": "sums"}, "12 + [MASK] =", "masks"),
}


def trained(folder: Path, samples: dict[str, Any] | None, updates: int = 3, **keys: Any) -> TaskRun:
    """A few updates with a random order of rows, dropout and AdamW, sampled or not."""
    training = {"max_steps": updates, "optim": "adamw_torch", "train_sampling_strategy": "random"}
    run = TaskRun(
        **{"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}, **keys},
        folder=folder,
        training=training,
        samples=samples,
    )
    # the global random state takes part in every step
    run.model.register_forward_pre_hook(drop, with_kwargs=True)
    notices: list[tuple[str, dict[str, Any]]] = []
    run.prepared.notices = notices
    take_samples(run.prepared.config, run.prepared, lambda code, **values: notices.append((code, values)))
    run.trainer.train()
    return run


def drop(model: torch.nn.Module, args: Any, kwargs: Any) -> None:
    if model.training:
        scale = float(torch.rand(()) + random.random() + numpy.random.rand())
        with torch.no_grad():
            next(model.parameters()).mul_(1 + scale * 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["text", "class"])
def test_a_run_that_is_sampled_is_bit_by_bit_the_run_that_is_not(name: str, tmp_path: Path) -> None:
    model, task, data, prompt, _ = TASKS[name]
    keys = {"model": model, "task": task, "data": data}
    plain = trained(tmp_path, None, **keys)
    sampled_run = trained(tmp_path, {"every": 1, "prompts": [prompt], "rows": 2, "max_new_tokens": 8}, **keys)
    assert not plain.of(SampleTaken) and len(sampled_run.of(SampleTaken)) == 4 * 3
    for one, other in zip(plain.model.parameters(), sampled_run.model.parameters(), strict=True):
        assert torch.equal(one, other)
    for before, after in zip(plain.recorder.gradients, sampled_run.recorder.gradients, strict=True):
        assert torch.equal(before, after)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_every_task_says_what_it_is_given_what_is_right_and_what_it_finds(name: str, tmp_path: Path) -> None:
    model, task, data, prompt, kind = TASKS[name]
    run = trained(
        tmp_path,
        {"every": 2, "prompts": [prompt], "rows": 2, "max_new_tokens": 8},
        model=model, task=task, data=data,
    )  # fmt: skip
    samples = run.of(SampleTaken)
    # before the first update, every two, and after the last
    assert [(sample.update, sample.index) for sample in samples] == [
        (update, index) for update in (0, 2, 3) for index in (1, 2, 3)
    ]
    own, row, _ = samples[-3:]
    assert {sample.kind for sample in samples} == {kind}
    assert own.given == prompt and own.wanted is None and own.right == []
    assert row.given and row.wanted is not None
    assert samples[1].given == row.given and samples[1].wanted == row.wanted
    names = set(run.prepared.loaded.model.config.id2label.values())
    if kind == "text":
        # a text may go on in many ways, what it is to become is one
        assert isinstance(row.got, str) and len(row.right) == (task == "text2text-generation")
    elif kind == "class":
        assert row.got in names and row.wanted in names and row.right == [row.got == row.wanted]
        assert own.got == own.scores[0]["name"] and sum(score["score"] for score in own.scores) == pytest.approx(1)
    elif kind == "classes":
        assert {*row.got, *row.wanted} <= names and len(own.scores) == min(5, len(names))
    elif kind == "number":
        assert isinstance(row.got, float) and isinstance(row.wanted, float) and row.right == []
    elif kind == "tags":
        assert len(own.got) == 4 and {*own.got, *row.wanted} <= names
        assert len(row.given.split()) == len(row.got) == len(row.wanted) == len(row.right)
    else:
        assert row.given.count("[MASK]") == len(row.wanted) == len(row.got) == len(row.scores) >= 1


def test_a_row_of_words_keeps_its_words(tmp_path: Path) -> None:
    run = trained(tmp_path, {"rows": 3}, updates=1, model="tiny-bert", task="token-classification",
                  data={"name": "entities"})  # fmt: skip
    from tests.engine.task_runs import few_rows

    rows = few_rows(run.prepared.config.data, "token-classification").evaluation
    assert [sample.given.split() for sample in run.of(SampleTaken)[:3]] == [row["words"] for row in rows[:3]]


def test_of_an_answer_the_question_is_given_and_a_message_goes_through_the_template(tmp_path: Path) -> None:
    run = TaskRun(**SUMS, folder=tmp_path, samples={"prompts": ["1 + 1"], "rows": 1, "max_new_tokens": 4})
    tokenizer = run.prepared.loaded.tokenizer
    tokenizer.chat_template = "{% for message in messages %}U {{ message.content }} A {% endfor %}"
    maker = sampled._Continued(tokenizer, run.prepared.config)
    maker.of_chat = True
    asked = tokenizer("12 + 30 = 42")["input_ids"]
    labels = [-100] * (len(asked) - 1) + asked[-1:]
    seen: list[list[int]] = []

    def remember(model: Any, tokenizer: Any, ids: list[int], *rest: Any) -> str:
        seen.append(ids)
        return tokenizer.decode(asked[-1:])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampled, "generated", remember)
        row = maker.of_row({"input_ids": asked, "labels": labels}, 0)(None, lambda: None)
        maker.of_prompt("1 + 1")(None, lambda: None)
    assert seen[0] == asked[:-1] and row.right == [True]
    assert tokenizer.decode(seen[1]) == "U 1 + 1 A "


def test_modes_and_random_states_are_afterwards_as_before() -> None:
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout()))
    model.train()
    model[1].eval()  # a part may be frozen so
    draws = []
    for disturbed in (False, True):
        random.seed(1)
        numpy.random.seed(1)
        torch.manual_seed(1)
        if disturbed:
            with undisturbed(model, torch.device("cpu")):
                assert not any(module.training for module in model.modules()) and not torch.is_grad_enabled()
                random.random(), numpy.random.rand(), torch.rand(1)
        draws.append((random.random(), float(numpy.random.rand()), float(torch.rand(()))))
    assert draws[0] == draws[1]
    assert [module.training for module in model.modules()] == [True, True, False, False, False]


def test_the_clock_stands_still_while_samples_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = TaskRun(**SUMS, folder=tmp_path, samples={"every": 1, "prompts": "1 + 1 =", "max_new_tokens": 2})
    held: list[bool] = []

    def asked(*given: Any) -> str:
        held.append(run.trainer.progress.clock.held)
        return ""

    monkeypatch.setattr(sampled, "generated", asked)
    take_samples(run.prepared.config, run.prepared, lambda code, **values: None)
    run.trainer.train()
    assert held == [True, True] and not run.trainer.progress.clock.held


def test_a_sample_that_fails_is_told_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> str:
        raise RuntimeError("no such kernel\nwith more lines")

    monkeypatch.setattr(sampled, "generated", fails)
    run = trained(tmp_path, {"every": 1}, updates=2)
    assert run.prepared.notices == [("run.no-more-samples", {"update": 0, "reason": "RuntimeError: no such kernel"})]
    assert run.trainer.state.global_step == 2


def test_without_rows_held_out_the_run_says_so(tmp_path: Path) -> None:
    run = TaskRun(**SUMS, folder=tmp_path, samples={"every": 1})
    run.prepared.evaluation.clear()
    told: list[str] = []
    take_samples(run.prepared.config, run.prepared, lambda code, **values: told.append(code))
    assert told == ["run.nothing-to-sample"]


def test_a_prompt_without_a_place_to_fill_is_refused(tmp_path: Path) -> None:
    run = TaskRun("tiny-bert", "fill-mask", {"name": "sums"}, tmp_path, samples={"prompts": ["12 + 30"]})
    with pytest.raises(ConfigError) as caught:
        take_samples(run.prepared.config, run.prepared, lambda code, **values: None)
    assert caught.value.code == "samples.no-mask" and "[MASK]" in caught.value.line


def test_a_long_generation_hears_of_a_stop_at_each_token(tmp_path: Path) -> None:
    run = TaskRun(**SUMS, folder=tmp_path)
    told = []

    def check() -> None:
        told.append(1)
        if len(told) == 3:
            raise InterruptedError

    from engine.inference import Knobs

    with pytest.raises(InterruptedError):
        generated(run.model, run.prepared.loaded.tokenizer, [5, 6, 7], Knobs(50), check)


@pytest.mark.slow
def test_rows_that_are_packed_are_sampled_as_well(tmp_path: Path) -> None:
    run = trained(tmp_path, {"every": 3, "rows": 1, "max_new_tokens": 6}, packing=True)
    assert [sample.update for sample in run.of(SampleTaken)] == [0, 3]


@pytest.mark.slow
def test_adapters_are_sampled_with_what_they_add(tmp_path: Path) -> None:
    run = trained(tmp_path, {"every": 3, "prompts": ["1 + 1 ="], "max_new_tokens": 6}, lora={"r": 2})
    assert len(run.of(SampleTaken)) == 2


@pytest.mark.slow
def test_a_session_keeps_the_timeline_and_a_stop_between_samples(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig.from_dict(
        {
            **SUMS,
            "data": {"name": "sums", "max_length": 24, "eval_rows": 8},
            "training": {"per_device_train_batch_size": 2, "max_steps": 3},
            "samples": {"every": 2, "prompts": "1 + 1 =", "rows": 1, "max_new_tokens": 4},
        }
    )
    run = session.submit(config)
    assert session.wait(run, 60).state == "finished"
    found = session.store.samples(run)
    assert [(sample["update"], sample["index"]) for sample in found["samples"]] == [
        (0, 1), (0, 2), (2, 1), (2, 2), (3, 1), (3, 2)
    ]  # fmt: skip

    class StopsFirst(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, *args: Any, **more: Any) -> None:
            session.command(second, "stop")

    real = runner_module.take_samples

    def stopped(config: RunConfig, prepared: Any, tell: Any) -> None:
        prepared.trainer.add_callback(StopsFirst())
        real(config, prepared, tell)

    monkeypatch.setattr(runner_module, "take_samples", stopped)
    second = session.submit(config)
    ended = session.wait(second, 60)
    assert (ended.state, ended.update, session.store.samples(second)["samples"]) == ("stopped", 0, [])


@pytest.mark.slow
def test_a_run_that_is_stopped_amid_its_samples_makes_up_for_all_that_was_due(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig.from_dict(
        {
            **SUMS,
            "data": {"name": "sums", "max_length": 24, "eval_rows": 8},
            "training": {
                "per_device_train_batch_size": 2, "max_steps": 6, "lr_scheduler_type": "reduce_lr_on_plateau",
                "eval_strategy": "steps", "eval_steps": 2,
            },
            "samples": {"every": 2, "rows": 2, "max_new_tokens": 4},
        }
    )  # fmt: skip
    store = session.store
    whole = session.wait(session.submit(config), 60).id
    real, asked = sampled.generated, []

    def stops(*given: Any) -> str:
        asked.append(1)
        if len(asked) == 2 * 2 + 1:
            # the first of the two samples after update 4
            session.command(run, "stop")
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(sampled, "generated", stops)
        run = session.submit(config)
        left = session.wait(run, 60)
    assert (left.state, left.update) == ("stopped", 4)
    session.resume(run)
    assert session.wait(run, 60).state == "finished"
    assert store.samples(run)["samples"] == [{**said, "run": run} for said in store.samples(whole)["samples"]]
    for read in (store.updates, store.evaluations):
        assert [(row["update"], row["loss"]) for row in read(run)] == [
            (row["update"], row["loss"]) for row in read(whole)
        ]


WRONG = [
    ({"every": 0}, "config.at-least", "samples.every"),
    ({"prompts": [1]}, "samples.prompts", "samples.prompts"),
    ({"prompts": ["  "]}, "samples.prompts", "samples.prompts"),
    ({"prompts": ["a"] * 17}, "samples.prompts", "samples.prompts"),
    ({"prompts": ["a" * 2001]}, "samples.prompts", "samples.prompts"),
    ({"prompts": {"a": 1}}, "samples.prompts", "samples.prompts"),
    ({"rows": 0}, "samples.nothing", "samples.rows"),
    ({"max_new_tokens": 513}, "config.at-most", "samples.max_new_tokens"),
    ({"evry": 3}, "config.unknown-key", "samples.evry"),
    (3, "config.mapping", "samples"),
]


@pytest.mark.parametrize(("samples", "code", "field"), WRONG)
def test_a_wrong_key_of_samples_is_named(samples: Any, code: str, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict({**SUMS, "samples": samples})
    assert (caught.value.code, caught.value.field) == (code, field)


def test_samples_read_back_as_they_were_written() -> None:
    config = RunConfig.from_dict({**SUMS, "samples": {"prompts": "once"}})
    assert config.samples and config.samples.prompts == ["once"] and config.samples.held_out == 0
    assert RunConfig.from_yaml(config.to_yaml()) == config
    assert "samples" not in RunConfig.from_dict(SUMS).to_dict()
