"""Every task, as a session prepares it: the window's gradient is that of one large batch."""

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.events import EvaluationDone, UpdateDone
from tests.engine.task_runs import TaskRun
from tests.engine.tiny import relative_error

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("tiny-bert", "fill-mask", {"name": "python-docs"}),
]
DEALINGS: list[dict[str, Any]] = [
    {"window_order": "sorted"},
    {"window_order": "random"},
    {"micro_batch_tokens": 128},
]


@pytest.mark.parametrize("dealing", DEALINGS, ids=["sorted", "random", "tokens"])
@pytest.mark.parametrize(("model", "task", "data"), CASES)
def test_any_dealing_gives_the_gradient_of_the_large_batch(
    model: str, task: str, data: dict[str, Any], dealing: dict[str, Any], tmp_path: Path
) -> None:
    run = TaskRun(model, task, data, tmp_path, **dealing)
    batch = run.batch()
    right = run.own_gradient(batch)
    run.trainer.train()
    [update] = run.of(UpdateDone)
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
    rows = batch["labels"].is_floating_point() or batch["labels"].dim() == 1
    assert update.targets == (8 if rows else int((batch["labels"] != -100).sum()))
    assert update.examples == 8


@pytest.mark.parametrize(("model", "task", "data"), CASES)
def test_a_short_last_window_is_the_large_batch_of_its_rows(
    model: str, task: str, data: dict[str, Any], tmp_path: Path
) -> None:
    run = TaskRun(model, task, data, tmp_path, rows=11, training={"learning_rate": 1e-12}, window_order="sorted")
    right = [run.own_gradient(run.batch(0, 8)), run.own_gradient(run.batch(8, 11))]
    run.trainer.train()
    assert [update.examples for update in run.of(UpdateDone)] == [8, 3]
    for found, expected in zip(run.recorder.gradients, right, strict=True):
        assert relative_error(found, expected) < 1e-6


@pytest.mark.parametrize(("model", "task", "data"), CASES)
def test_an_evaluation_is_the_same_at_any_batch_size(
    model: str, task: str, data: dict[str, Any], tmp_path: Path
) -> None:
    found = []
    for size in (1, 3, 8):
        run = TaskRun(model, task, {**data, "eval_rows": 10}, tmp_path, training={"per_device_eval_batch_size": size})
        run.trainer.evaluate()
        run.trainer.evaluate()
        first, again = run.of(EvaluationDone)
        assert (first.loss, first.metrics) == (again.loss, again.metrics)
        found.append({"loss": first.loss, **first.metrics})
    assert len(found[0]) >= 2
    assert found[1] == pytest.approx(found[0], rel=1e-5)
    assert found[2] == pytest.approx(found[0], rel=1e-5)


TOKEN_CASES = [case for case in CASES if case[1] != "text-classification"]


@pytest.mark.parametrize(("model", "task", "data"), TOKEN_CASES)
def test_label_smoothing_stays_exact(model: str, task: str, data: dict[str, Any], tmp_path: Path) -> None:
    run = TaskRun(model, task, data, tmp_path, training={"label_smoothing_factor": 0.1}, window_order="sorted")
    batch = run.batch()
    run.model.train()
    labels = batch["labels"]
    log_p = run.model(**batch).logits.log_softmax(-1)
    kept = labels != -100
    # (1 − ε) · cross entropy + ε · mean of −log p over the vocabulary, as a mean over all targets
    nll = -log_p.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)[kept]
    (0.9 * nll.mean() + 0.1 * -log_p.mean(-1)[kept].mean()).backward()
    right = torch.cat([p.grad.flatten().clone() for p in run.model.parameters() if p.grad is not None])
    run.model.zero_grad()
    run.trainer.train()
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
