"""Every task, as a session prepares it: the window's gradient is that of one large batch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.events import EvaluationDone, MicroBatchDone, UpdateDone, WindowSkipped
from engine.proof.ways import accumulate
from engine.trainer.collate import COUNT, WindowCollator
from engine.trainer.windows import Numbered
from tests.engine.task_runs import TaskRun
from tests.engine.tiny import gradient, relative_error

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "fill-mask": ("tiny-bert", "fill-mask", {"name": "sentiment"}),
    "tokens": ("tiny-bert", "token-classification", {"name": "entities"}),
    "text to text": ("tiny-t5", "text2text-generation", {"name": "numerals"}),
    "one class": ("tiny-bert", "text-classification", {"name": "sentiment"}),
    "several classes": ("tiny-bert", "text-classification", {"name": "reviews"}),
    "several classes, decoder": ("tiny-llama", "text-classification", {"name": "reviews"}),
    "a number": ("tiny-bert", "text-classification", {"name": "reviews", "problem_type": "regression"}),
    "a number, decoder": ("tiny-llama", "text-classification", {"name": "reviews", "label": "score"}),
}
DEALINGS: dict[str, dict[str, Any]] = {
    "sorted": {"window_order": "sorted"},
    "random": {"window_order": "random"},
    "tokens": {"micro_batch_tokens": 128},
}
BY_TOKEN = ["fill-mask", "tokens", "text to text"]


@pytest.mark.slow
@pytest.mark.parametrize("dealing", DEALINGS)
@pytest.mark.parametrize("case", CASES)
def test_any_dealing_gives_the_gradient_of_the_large_batch(case: str, dealing: str, tmp_path: Path) -> None:
    run = TaskRun(*CASES[case], tmp_path, **DEALINGS[dealing])
    batch = run.batch()
    right = run.own_gradient(batch)
    run.trainer.train()
    [update] = run.of(UpdateDone)
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
    assert update.targets == (int((batch["labels"] != -100).sum()) if case in BY_TOKEN else 8)
    assert (update.examples, run.prepared.shifts) == (8, False)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "data"), [("fill-mask", "sentiment"), ("token-classification", "entities")])
def test_a_pretrained_body_under_a_new_head_is_exact_as_well(task: str, data: str, tmp_path: Path) -> None:
    run = TaskRun("minilm", task, {"name": data}, tmp_path)
    right = run.own_gradient(run.batch())
    run.trainer.train()
    assert relative_error(run.recorder.gradients[0], right) < 1e-6
    assert "model.new-head" in [code for code, _ in run.prepared.notices]


@pytest.mark.parametrize("case", CASES)
def test_a_short_last_window_is_the_large_batch_of_its_rows(case: str, tmp_path: Path) -> None:
    # a rate so small that the weights stay what they are
    run = TaskRun(*CASES[case], tmp_path, rows=11, training={"learning_rate": 1e-12}, window_order="sorted")
    right = [run.own_gradient(run.batch(0, 8)), run.own_gradient(run.batch(8, 11))]
    run.trainer.train()
    assert [update.examples for update in run.of(UpdateDone)] == [8, 3]
    for found, expected in zip(run.recorder.gradients, right, strict=True):
        assert relative_error(found, expected) < 1e-6


@pytest.mark.parametrize("case", CASES)
def test_an_evaluation_is_that_of_all_rows_as_one_batch_at_any_size(case: str, tmp_path: Path) -> None:
    run = TaskRun(*CASES[case], tmp_path)
    for size in (1, 3, 8, 3):
        run.trainer.args.per_device_eval_batch_size = size
        run.trainer.evaluate()
    one, three, eight, again = run.of(EvaluationDone)
    assert (three.loss, three.metrics) == (again.loss, again.metrics)
    assert one.metrics
    for other in (three, eight):
        assert other.loss == pytest.approx(one.loss, rel=1e-5)
        assert other.metrics == pytest.approx(one.metrics, rel=1e-5)
    run.trainer.train_dataset = run.prepared.evaluation
    with torch.no_grad():
        whole = float(run.model.eval()(**run.batch()).loss)
    assert eight.loss == pytest.approx(whole, rel=1e-5)


@pytest.mark.parametrize("case", BY_TOKEN)
def test_label_smoothing_stays_exact(case: str, tmp_path: Path) -> None:
    run = TaskRun(*CASES[case], tmp_path, training={"label_smoothing_factor": 0.1}, window_order="sorted")
    batch = run.batch()
    run.model.train()
    log_p = run.model(**batch).logits.log_softmax(-1)
    kept = batch["labels"] != -100
    # (1 − ε) · cross entropy + ε · mean of −log p over the vocabulary, as a mean over all targets
    nll = -log_p.gather(-1, batch["labels"].clamp(min=0).unsqueeze(-1)).squeeze(-1)[kept]
    (0.9 * nll.mean() + 0.1 * -log_p.mean(-1)[kept].mean()).backward()
    right = gradient(run.model)
    run.model.zero_grad()
    run.trainer.train()
    assert relative_error(run.recorder.gradients[0], right) < 1e-6


@pytest.mark.parametrize("case", ["several classes", "a number"])
def test_label_smoothing_of_numbers_is_refused(case: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="spreads one class over the others") as error:
        TaskRun(*CASES[case], tmp_path, training={"label_smoothing_factor": 0.1})
    assert error.value.field == "training.label_smoothing_factor"


@pytest.mark.parametrize("workers", [0, 2])
def test_each_pass_masks_other_tokens_with_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    passes = {"num_train_epochs": 2, "learning_rate": 1e-12, "dataloader_num_workers": workers}
    run = TaskRun(*CASES["fill-mask"], tmp_path, training=passes, window_order="sorted")
    first, second = (run.batch(epoch=number) for number in (0, 1))
    assert not torch.equal(first["labels"], second["labels"])
    right = [run.own_gradient(first), run.own_gradient(second)]
    run.trainer.train()
    for found, expected in zip(run.recorder.gradients, right, strict=True):
        assert relative_error(found, expected) < 1e-6


# ---- the cases of known values ----


def labelled(run: TaskRun, labels: list[list[int]]) -> None:
    """Rows of as many tokens as they have labels (at least), with these labels."""
    run.trainer.train_dataset = [
        {"input_ids": [*range(20, 20 + len(row))], "attention_mask": [1] * len(row), "labels": row} for row in labels
    ]


@pytest.mark.parametrize("case", ["tokens", "text to text"])
def test_two_rows_of_5_and_2_labels_hold_7_targets(case: str, tmp_path: Path) -> None:
    run = TaskRun(*CASES[case], tmp_path)
    labelled(run, [[5, 6, 7, 8, 4], [5, 6]])
    right = run.own_gradient(run.batch())
    run.trainer.train()
    assert run.of(UpdateDone)[0].targets == 7
    assert relative_error(run.recorder.gradients[0], right) < 1e-6


@pytest.mark.parametrize("case", ["tokens", "text to text"])
def test_masked_micro_batches_add_nothing_and_a_masked_window_is_no_update(case: str, tmp_path: Path) -> None:
    run = TaskRun(*CASES[case], tmp_path, micro_batch=1, steps=2, window_order="random")
    masked = [-100] * 4
    labelled(run, [masked, [5, 6, 7], masked, masked, [3, 4], [-100, 5, 6]])
    right = run.own_gradient(run.batch(0, 2))
    run.trainer.train()
    first, second = run.of(UpdateDone)
    assert (first.targets, second.targets, len(run.of(WindowSkipped))) == (3, 4, 1)
    # three targets of a random T5 round to 1.2e-6 in fp32, and to 2e-15 in fp64
    assert relative_error(run.recorder.gradients[0], right) < 5e-6
    assert [done.loss is None for done in run.of(MicroBatchDone)][:2] == [True, False]
    assert torch.isfinite(run.recorder.gradients[1]).all()


def test_a_row_that_belongs_to_no_class_is_a_target_as_well(tmp_path: Path) -> None:
    run = TaskRun(*CASES["several classes"], tmp_path, micro_batch=1, steps=3, window_order="random")
    run.trainer.train_dataset = [
        {"input_ids": [9, 8], "attention_mask": [1, 1], "labels": labels} for labels in ([], [0, 4], [2])
    ]
    batch = run.batch()
    assert batch["labels"].tolist() == [[0, 0, 0, 0, 0], [1, 0, 0, 0, 1], [0, 0, 1, 0, 0]]
    right = run.own_gradient(batch)
    run.trainer.train()
    assert run.of(UpdateDone)[0].targets == 3
    assert relative_error(run.recorder.gradients[0], right) < 1e-6


# ---- any plan ----


@pytest.fixture(scope="module", params=[*BY_TOKEN, "one class", "several classes", "a number"])
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TaskRun]:
    yield TaskRun(*CASES[request.param], tmp_path_factory.mktemp("family"), rows=40)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(st.integers(0, 39), min_size=1, max_size=12, unique=True),
    micro_batch=st.integers(1, 5),
    order=st.sampled_from(["sorted", "random"]),
    tokens=st.none() | st.integers(100, 400),
    epoch=st.integers(0, 3),
)
def test_any_plan_over_any_rows_gives_the_same_gradient(
    family: TaskRun, rows: list[int], micro_batch: int, order: Any, tokens: int | None, epoch: int
) -> None:
    chosen = [Numbered(family.trainer.train_dataset)[(epoch, row)] for row in rows]
    collate = family.trainer.data_collator
    micro_batches = WindowCollator(collate, micro_batch=micro_batch, order=order, tokens=tokens)(chosen)
    targets = [batch.pop(COUNT).targets for batch in micro_batches]
    right = family.own_gradient(collate.collate(chosen))
    accumulate(lambda batch: family.model(**batch).loss, micro_batches, targets)
    found = gradient(family.model)
    family.model.zero_grad()
    assert relative_error(found, right) < 1e-5
