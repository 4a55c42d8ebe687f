"""Another plan, another length, other settings on the way: where the run goes on, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.accumulation import updates_left
from engine.config import RunConfig, check_continues
from engine.errors import ConfigError
from engine.events import UpdateDone
from engine.store.checkpoint_files import MARK
from tests.engine.resumption import before_micro_batch, gone_on, newest, stopped
from tests.engine.test_resume_exact import classifier, making
from tests.engine.tiny import Trained, class_rows, large_batch_gradient, llama, relative_error, text_rows


def causal(folder: Path, **changes: Any) -> Trained:
    rows = text_rows([5, 9, 7, 4, 8, 6, 3, 11, 12, 10] * 2)
    return Trained(llama(), rows, folder, **{"micro_batch": 1, "steps": 4, "learning_rate": 0.0, **changes})


@pytest.mark.parametrize("micro_batch", [1, 2])
def test_stopped_in_update_2_of_4_micro_batches_it_goes_on_with_2_at_row_4_times_the_micro_batch(
    micro_batch: int, tmp_path: Path
) -> None:
    def make(folder: Path, **changes: Any) -> Trained:
        return causal(folder, **{"micro_batch": micro_batch, **changes})

    # the sixth micro-batch is the second one of update 2: the first was done, and is discarded
    first = stopped(make, tmp_path, before_micro_batch(6))
    assert [update.update for update in first.of(UpdateDone)] == [1]
    second = gone_on(make, tmp_path, steps=2)
    rows = first.trainer.train_dataset
    row = 4 * micro_batch
    right = large_batch_gradient(llama(), rows[row : row + 2 * micro_batch])
    assert relative_error(second.recorder.gradients[0], right) < 1e-6
    # no row of the pass is met twice or left out
    done = [*first.of(UpdateDone), *second.of(UpdateDone)]
    assert sum(update.examples for update in done) == len(rows)
    assert [update.update for update in done] == list(range(1, len(done) + 1))
    assert done[-1].total_examples == len(rows) and done[-1].epoch == 1.0


@pytest.mark.slow
def test_the_same_window_in_other_micro_batches_is_the_same_update(tmp_path: Path) -> None:
    make = making(max_grad_norm=0.0, optim="sgd", train_sampling_strategy="random")
    whole = make(tmp_path / "whole")
    whole.trainer.train()
    stopped(make, tmp_path / "cut", before_micro_batch(15))
    second = gone_on(make, tmp_path / "cut", micro_batch=4, steps=1)
    assert second.trainer.state.max_steps == whole.trainer.state.max_steps == 9
    assert [update.examples for update in second.of(UpdateDone)] == [4, 2, 4, 4, 2]


@pytest.mark.slow
def test_another_plan_ends_with_the_last_row_and_the_schedule_ends_with_it(tmp_path: Path) -> None:
    make = making(optim="sgd")
    stopped(make, tmp_path, before_micro_batch(15))
    second = gone_on(make, tmp_path, steps=2)
    # 3 updates of the first pass, 1 of the second: its other 6 rows make 3, and the third pass 5
    assert second.trainer.state.max_steps == 4 + 3 + 5
    done = second.of(UpdateDone)
    assert [update.update for update in done] == list(range(5, 13))
    assert done[-1].epoch == 3.0 and done[-1].total_examples == 30
    # linear from 1e-3 over 12 updates
    assert [update.learning_rate for update in done] == pytest.approx([1e-3 * (12 - k) / 12 for k in range(4, 12)])
    # the number stays what it is where the run is stopped once more and goes on with the same plan
    assert second.trainer.lr_scheduler.get_last_lr()[0] == pytest.approx(0.0)


@pytest.mark.slow
def test_a_changed_plan_that_is_stopped_again_keeps_its_end(tmp_path: Path) -> None:
    make = making(optim="sgd")
    stopped(make, tmp_path, before_micro_batch(15))
    second = make(tmp_path, steps=2, gate=before_micro_batch(4))
    with pytest.raises(Exception, match="Stopped"):
        second.trainer.train(resume_from_checkpoint=newest(tmp_path))
    second.trainer.leave_checkpoint()
    third = gone_on(make, tmp_path, steps=2)
    assert third.trainer.state.max_steps == 12
    assert third.of(UpdateDone)[-1].update == 12 and third.of(UpdateDone)[-1].total_examples == 30


@pytest.mark.slow
def test_more_updates_than_planned_follow_the_longer_schedule(tmp_path: Path) -> None:
    make = making(max_steps=4, save_strategy="steps", save_steps=4)
    make(tmp_path).trainer.train()
    said: list[tuple[str, dict[str, Any]]] = []
    longer = make(tmp_path, max_steps=8)
    longer.trainer.notice = lambda code, **values: said.append((code, values))
    longer.trainer.train(resume_from_checkpoint=newest(tmp_path))
    done = longer.of(UpdateDone)
    assert [update.update for update in done] == [5, 6, 7, 8]
    assert [update.learning_rate for update in done] == pytest.approx([1e-3 * (8 - k) / 8 for k in range(4, 8)])
    assert said == [("run.resumed-schedule", {"total": 8, "before": 4})]


@pytest.mark.slow
def test_how_often_to_evaluate_and_save_is_what_is_asked_for_now(tmp_path: Path) -> None:
    make = making(save_strategy="steps", save_steps=2, max_steps=8)
    first = stopped(make, tmp_path, before_micro_batch(10))
    assert first.trainer.state.global_step == 2
    gone_on(make, tmp_path, save_steps=5)
    assert {path.name for path in tmp_path.glob("checkpoint-*")} == {"checkpoint-2", "checkpoint-5", "checkpoint-8"}


@pytest.mark.slow
def test_an_order_that_follows_from_the_window_can_t_have_another_one(tmp_path: Path) -> None:
    make = making(train_sampling_strategy="group_by_length")
    stopped(make, tmp_path, before_micro_batch(6))
    with pytest.raises(ConfigError, match="Keep micro-batch × steps at 4"):
        gone_on(make, tmp_path, steps=2)
    # the same rows a window in other micro-batches are the same order
    assert gone_on(make, tmp_path, micro_batch=2, steps=2).of(UpdateDone)[-1].total_examples == 30


def test_other_rows_and_another_model_are_refused(tmp_path: Path) -> None:
    stopped(classifier, tmp_path, before_micro_batch(6))
    run = classifier(tmp_path)
    run.trainer.train_dataset[3]["labels"] += 1
    with pytest.raises(ConfigError, match="not those that the checkpoint after update 1"):
        run.trainer.train(resume_from_checkpoint=newest(tmp_path))
    run = classifier(tmp_path)
    run.trainer.model.classifier = torch.nn.Linear(16, 5)
    with pytest.raises(ConfigError, match="not the one that the checkpoint"):
        run.trainer.train(resume_from_checkpoint=newest(tmp_path))


def test_a_checkpoint_that_knows_nothing_of_the_rows_to_evaluate_on_goes_on(tmp_path: Path) -> None:
    stopped(making(evaluation=class_rows([6, 4])), tmp_path, before_micro_batch(6))
    with pytest.raises(ConfigError, match="rows to evaluate on are not those"):
        gone_on(making(evaluation=class_rows([6, 5])), tmp_path)
    file = Path(newest(tmp_path)) / MARK
    values = json.loads(file.read_text())
    # as marks were written before
    del values["evaluation"], values["sum"]
    file.write_text(json.dumps(values))
    assert gone_on(making(evaluation=class_rows([6, 5])), tmp_path).of(UpdateDone)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        # 10 rows, 3 passes; stopped after row 4 of the first, windows of 2: 3 + 5 + 5
        ({"epoch": 0, "met": 4, "window": 2, "epochs": 3.0}, 13),
        # windows of 4, as planned: 2 + 3 + 3
        ({"epoch": 0, "met": 4, "window": 4, "epochs": 3.0}, 8),
        # at the end of the last pass nothing is left
        ({"epoch": 2, "met": 10, "window": 4, "epochs": 3.0}, 0),
        # half a pass is ceil(0.5 × 5) = 3 windows of 2, that is 6 rows: 1 more after row 4, and 3 after a whole pass
        ({"epoch": 0, "met": 4, "window": 2, "epochs": 0.5}, 1),
        ({"epoch": 0, "met": 4, "window": 2, "epochs": 1.5}, 3 + 3),
        # past the half already
        ({"epoch": 0, "met": 8, "window": 2, "epochs": 0.5}, 0),
    ],
)
def test_updates_left_count_rows(place: dict[str, Any], expected: int) -> None:
    assert updates_left(this_pass=10, each_pass=10, **place) == expected


# ---- settings ----

BASE: dict[str, Any] = {
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 48},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "learning_rate": 1e-3},
}


def config(**changes: Any) -> RunConfig:
    given = {**BASE, **changes}
    return RunConfig.from_dict({**given, "training": {**BASE["training"], **changes.get("training", {})}})


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"model": "tiny-llama"}, "model", "the weights of the former"),
        ({"lora": {"r": 4}}, "lora", "the weights of the former"),
        ({"data": {"name": "sentiment", "max_length": 32}}, "data.max_length", "another order"),
        ({"data": {"name": "sentiment", "max_length": 48, "eval_rows": 9}}, "data.eval_rows", "another order"),
        ({"training": {"seed": 7}}, "training.seed", "another order"),
        ({"training": {"data_seed": 7}}, "training.data_seed", "another order"),
        ({"training": {"learning_rate": 1e-4}}, "training.learning_rate", "optimizer and schedule"),
        ({"training": {"optim": "sgd"}}, "training.optim", "optimizer and schedule"),
        ({"loss_normalization": "trainer"}, "loss_normalization", "optimizer and schedule"),
    ],
)
def test_what_can_t_go_on_is_refused_by_name(changes: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as refused:
        check_continues(config(), config(**changes))
    assert refused.value.field == field


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"window_order": "random", "micro_batch_tokens": 512, "memory_budget": "8GiB"},
        {"training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "max_steps": 99}},
        {"training": {"save_strategy": "steps", "save_steps": 5, "eval_strategy": "epoch"}},
        {"training": {"seed": 42, "data_seed": 42, "lr_scheduler_type": "linear"}},
        {"early_stopping": {"patience": 2}, "training": {"eval_strategy": "epoch"}},
    ],
)
def test_the_plan_the_length_and_what_is_done_between_updates_may_change(changes: dict[str, Any]) -> None:
    check_continues(config(), config(**changes))


def test_what_an_update_depends_on_stays_as_it_was() -> None:
    plateau = {"lr_scheduler_type": "reduce_lr_on_plateau", "eval_strategy": "steps", "eval_steps": 2}
    with pytest.raises(ConfigError) as caught:
        check_continues(config(training=plateau), config(training={**plateau, "eval_steps": 3}))
    assert caught.value.field == "training.eval_steps"
    means = {"loss_normalization": "mean-of-means"}
    with pytest.raises(ConfigError) as caught:
        check_continues(config(**means), config(**means, window_order="sorted"))
    assert caught.value.field == "window_order"
