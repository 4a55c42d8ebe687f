"""The loop's gradients against one batch of the whole window, and the windows that it makes."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.utils.data import IterableDataset

from engine.errors import RunError, RunStopped
from engine.events import EvaluationDone, MicroBatchDone, UpdateDone, WindowSkipped
from tests.engine.tiny import (
    UNEVEN,
    Trained,
    bert,
    class_rows,
    gpt2,
    large_batch_gradient,
    llama,
    pad,
    relative_error,
    text_rows,
)


@pytest.mark.parametrize("build", [llama, gpt2])
def test_an_accumulated_causal_gradient_is_the_large_batch_gradient(build: Any, tmp_path: Path) -> None:
    rows = text_rows(UNEVEN)
    right = large_batch_gradient(build(), rows)
    run = Trained(build(), rows, tmp_path, micro_batch=2, steps=4)
    run.trainer.train()
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
    # every row of n tokens holds n - 1 targets
    assert run.of(UpdateDone)[0].targets == sum(UNEVEN) - len(UNEVEN)
    # in micro-batches as wide as their longest row, 86 of the 130 positions are tokens
    assert run.of(UpdateDone)[0].total_tokens == sum(UNEVEN) == 86


def test_sequence_classification_is_exact_where_the_stock_trainer_is_4_times_too_large(tmp_path: Path) -> None:
    rows = class_rows(UNEVEN)
    right = large_batch_gradient(bert(), rows)
    exact = Trained(bert(), rows, tmp_path, micro_batch=2, steps=4)
    exact.trainer.train()
    assert relative_error(exact.recorder.gradients[0], right) < 1e-6
    stock = Trained(bert(), rows, tmp_path, micro_batch=2, steps=4, normalization="trainer")
    stock.trainer.train()
    assert float(stock.recorder.gradients[0].norm() / right.norm()) == pytest.approx(4.0, abs=1e-3)


def test_mean_of_means_is_wrong_on_uneven_rows_and_right_on_even_ones(tmp_path: Path) -> None:
    def error(lengths: list[int]) -> float:
        rows = text_rows(lengths)
        run = Trained(llama(), rows, tmp_path, micro_batch=2, steps=4, normalization="mean-of-means")
        run.trainer.train()
        return run.error(llama())

    assert error(UNEVEN) > 0.05
    assert error([9] * 8) < 1e-6


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(2, 20), min_size=2, max_size=10),
    micro_batch=st.integers(1, 4),
    masked=st.sets(st.integers(0, 9), max_size=3),
)
def test_any_plan_of_one_window_gives_the_same_gradient(
    lengths: list[int], micro_batch: int, masked: set[int], tmp_path: Path
) -> None:
    rows = text_rows(lengths)
    for index in masked:
        if index < len(rows) - 1:
            rows[index]["labels"] = [-100] * len(rows[index]["labels"])
    run = Trained(llama(), rows, tmp_path, micro_batch=micro_batch, steps=math.ceil(len(rows) / micro_batch))
    run.trainer.train()
    assert run.error(llama()) < 1e-5


def test_ten_rows_1_by_4_over_2_epochs_step_where_the_arithmetic_says(tmp_path: Path) -> None:
    rows = text_rows([5] * 10)
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=4, num_train_epochs=2, learning_rate=1e-3)
    run.trainer.train()
    updates = run.of(UpdateDone)
    assert [update.update for update in updates] == [1, 2, 3, 4, 5, 6]
    assert [update.epoch for update in updates] == pytest.approx([0.4, 0.8, 1.0, 1.4, 1.8, 2.0])
    # linear from 1e-3 to 0 over 6 updates: 1e-3 × (6 - k) / 6
    assert [update.learning_rate for update in updates] == pytest.approx([1e-3 * (6 - k) / 6 for k in range(6)])
    assert [update.examples for update in updates] == [4, 4, 2, 4, 4, 2]
    assert updates[-1].total_examples == 20


def test_the_short_last_window_has_the_gradient_of_its_own_rows(tmp_path: Path) -> None:
    rows = text_rows([4, 9, 6, 12, 5, 3, 8, 7, 10, 2])
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=4, learning_rate=0.0)
    run.trainer.train()
    assert relative_error(run.recorder.gradients[2], large_batch_gradient(llama(), rows[8:])) < 1e-6


class Stream(IterableDataset[Any]):
    """Rows without a length."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        return iter(self.rows)


def test_a_stream_of_5_micro_batches_makes_windows_of_2_2_and_1_in_every_pass(tmp_path: Path) -> None:
    rows = text_rows([4, 9, 6, 12, 5])
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=2, max_steps=5, learning_rate=0.0)
    run.trainer.train_dataset = Stream(rows)
    run.trainer.train()
    windows = [[rows[0], rows[1]], [rows[2], rows[3]], [rows[4]], [rows[0], rows[1]], [rows[2], rows[3]]]
    assert [update.micro_batches for update in run.of(UpdateDone)] == [2, 2, 1, 2, 2]
    for found, window in zip(run.recorder.gradients, windows, strict=True):
        assert relative_error(found, large_batch_gradient(llama(), window)) < 1e-6


def test_a_micro_batch_without_targets_adds_nothing(tmp_path: Path) -> None:
    rows = text_rows([6, 8, 5])
    rows[1]["labels"] = [-100] * 8
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=3)
    run.trainer.train()
    assert run.error(llama()) < 1e-6
    assert [done.targets for done in run.of(MicroBatchDone)] == [5, 0, 4]
    assert run.of(MicroBatchDone)[1].loss is None
    assert math.isfinite(run.of(UpdateDone)[0].loss)


def test_a_window_without_targets_is_no_update_and_the_schedule_waits(tmp_path: Path) -> None:
    rows = text_rows([6] * 6)
    for row in rows[2:4]:
        row["labels"] = [-100] * 6
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=2, learning_rate=1e-3)
    run.trainer.train()
    updates = run.of(UpdateDone)
    assert [update.update for update in updates] == [1, 2]
    assert [skipped.after for skipped in run.of(WindowSkipped)] == [1]
    # 3 updates were planned: the second one made still takes the schedule's second rate
    assert [update.learning_rate for update in updates] == pytest.approx([1e-3, 1e-3 * 2 / 3])
    assert all(math.isfinite(update.loss) for update in updates)


def test_a_pass_without_a_single_target_fails_in_words(tmp_path: Path) -> None:
    rows = text_rows([6] * 4)
    for row in rows:
        row["labels"] = [-100] * 6
    with pytest.raises(RunError, match="not a single target"):
        Trained(llama(), rows, tmp_path, micro_batch=1, steps=2).trainer.train()


def test_stop_in_the_first_micro_batch_of_update_2_leaves_the_weights_of_update_1(tmp_path: Path) -> None:
    gates: list[int] = []

    def gate(window: int) -> None:
        gates.append(window)
        # the sixth gate stands after the first micro-batch of window 2
        if len(gates) == 6:
            raise RunStopped("run.stopped")

    rows = text_rows([5, 9, 7, 4] * 2)
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=4, gate=gate)
    with pytest.raises(RunStopped):
        run.trainer.train()
    weights = {name: value.clone() for name, value in run.trainer.model.state_dict().items()}

    def stop_after_one(window: int) -> None:
        if window == 2:
            raise RunStopped("run.stopped")

    once = Trained(llama(), rows, tmp_path, micro_batch=1, steps=4, gate=stop_after_one)
    with pytest.raises(RunStopped):
        once.trainer.train()
    assert len(run.of(UpdateDone)) == 1
    assert all(torch.equal(weights[name], value) for name, value in once.trainer.model.state_dict().items())


def test_a_loss_that_is_not_a_number_ends_the_run_before_it_reaches_the_weights(tmp_path: Path) -> None:
    model = llama()
    with torch.no_grad():
        model.model.norm.weight[0] = math.nan
    before = model.state_dict()["lm_head.weight"].clone()
    run = Trained(model, text_rows([5] * 4), tmp_path, micro_batch=1, steps=2)
    with pytest.raises(RunError, match="update 1 is not a number"):
        run.trainer.train()
    assert torch.equal(model.state_dict()["lm_head.weight"], before)
    assert run.of(UpdateDone) == []


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_evaluation_weighs_by_targets_at_any_batch_size(batch: int, tmp_path: Path) -> None:
    class Fixed(torch.nn.Module):
        """Loss 1.0 on rows of 2 targets, 3.0 on the row of 36."""

        def forward(self, input_ids: Any, attention_mask: Any, labels: Any) -> Any:
            each = torch.where((labels != -100).sum(-1, keepdim=True) > 10, 3.0, 1.0).expand_as(labels)[..., 1:]
            mask = labels[..., 1:] != -100
            return {"loss": (each * mask).sum() / mask.sum()}

    rows = text_rows([3, 3, 37])
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=1, evaluation=rows, per_device_eval_batch_size=batch)
    run.trainer.model = run.trainer.model_wrapped = Fixed()
    # (4 × 1.0 + 36 × 3.0) / 40 = 2.8
    assert run.trainer.evaluate()["eval_loss"] == pytest.approx(2.8)
    assert run.of(EvaluationDone)[0].targets == 40


def test_uniform_logits_over_4_tokens_lose_ln_4(tmp_path: Path) -> None:
    model = llama()
    model.config.vocab_size = model.vocab_size = 4
    model.model.embed_tokens = torch.nn.Embedding(4, 16)
    model.lm_head = torch.nn.Linear(16, 4, bias=False)
    torch.nn.init.zeros_(model.lm_head.weight)
    rows = [{"input_ids": [1, 2, 3, 1, 2], "labels": [1, 2, 3, 1, 2]} for _ in range(2)]
    run = Trained(model, rows, tmp_path, micro_batch=1, steps=2)
    run.trainer.train()
    # 2 × 4 targets at ln 4; counting 10 labels would give 1.3863 × 8 / 10 = 1.1090
    assert run.of(UpdateDone)[0].loss == pytest.approx(math.log(4), abs=1e-5)


def test_watched_micro_batches_tell_seconds_and_the_growing_gradient(tmp_path: Path) -> None:
    rows = text_rows([6, 8, 5])
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=3)
    run.trainer.watched = lambda: True
    run.trainer.train()
    done = run.of(MicroBatchDone)
    assert all(event.seconds > 0 for event in done)
    assert done[-1].grad_norm == pytest.approx(float(run.recorder.gradients[0].norm()), rel=1e-5)


def test_the_counts_of_a_batch_are_those_of_its_rows() -> None:
    assert pad(text_rows([3, 5]))["attention_mask"].sum() == 8


@pytest.mark.parametrize("batch", [2, 8, 32])
def test_evaluation_drops_no_row_where_training_drops_short_micro_batches(batch: int, tmp_path: Path) -> None:
    rows = text_rows([5, 9, 4, 7, 6])
    run = Trained(
        llama(), rows, tmp_path, micro_batch=2, steps=1, evaluation=rows, per_device_eval_batch_size=batch,
        dataloader_drop_last=True,
    )  # fmt: skip
    found = run.trainer.evaluate()["eval_loss"]
    with torch.no_grad():
        assert found == pytest.approx(float(llama().eval()(**pad(rows)).loss), rel=1e-5)
    assert run.of(EvaluationDone)[0].examples == 5
    run.trainer.train()
    assert [update.examples for update in run.of(UpdateDone)] == [2, 2]


def test_max_steps_counts_updates_and_not_windows_without_a_target(tmp_path: Path) -> None:
    rows = text_rows([6, 8])
    rows[1]["labels"] = [-100] * 8
    run = Trained(llama(), rows, tmp_path, micro_batch=1, steps=1, max_steps=4)
    run.trainer.train()
    assert [update.update for update in run.of(UpdateDone)] == [1, 2, 3, 4]
    assert len(run.of(WindowSkipped)) == 3
