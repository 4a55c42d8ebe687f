"""One class, several classes and numbers: what their labels become in a batch, and what is measured."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, mean_squared_error

from engine.tasks import TASKS

TASK = TASKS["text-classification"]
SINGLE, SEVERAL, NUMBER = "single_label_classification", "multi_label_classification", "regression"


def measured(problem: str, logits: torch.Tensor, labels: torch.Tensor, size: int) -> dict[str, float]:
    metrics = TASK.new_metrics((), problem)
    for start in range(0, len(labels), size):
        part = slice(start, start + size)
        metrics.add(SimpleNamespace(logits=logits[part]), {"labels": labels[part]})
    return metrics.result(1.0)


def at_any_size(problem: str, logits: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    one, three, eight = (measured(problem, logits, labels, size) for size in (1, 3, 8))
    assert three == pytest.approx(one, rel=1e-12)
    assert eight == pytest.approx(one, rel=1e-12)
    return one


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12))
def test_one_class_is_measured_by_accuracy_and_macro_f1(pairs: list[tuple[int, int]]) -> None:
    found, right = zip(*pairs, strict=True)
    logits = torch.nn.functional.one_hot(torch.tensor(found), 3).float()
    result = at_any_size(SINGLE, logits, torch.tensor(right))
    assert result["accuracy"] == accuracy_score(right, found)
    assert result["macro_f1"] == pytest.approx(f1_score(right, found, average="macro"))


ROW = st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.lists(st.booleans(), min_size=3, max_size=3))


@given(st.lists(ROW, min_size=1, max_size=12))
def test_several_classes_are_measured_by_micro_f1_and_label_accuracy(rows: list[tuple[list[bool], list[bool]]]) -> None:
    found, right = torch.tensor([row[0] for row in rows]), torch.tensor([row[1] for row in rows])
    result = at_any_size(SEVERAL, found.float() - 0.5, right.float())
    assert result["label_accuracy"] == pytest.approx(float((found == right).double().mean()))
    if found.any() or right.any():
        assert result["micro_f1"] == pytest.approx(f1_score(right, found, average="micro"))
    else:
        assert "micro_f1" not in result


@given(st.lists(st.tuples(st.floats(-9, 9, width=32), st.floats(-9, 9, width=32)), min_size=1, max_size=12))
def test_numbers_are_measured_by_their_mean_squared_error(pairs: list[tuple[float, float]]) -> None:
    found, right = zip(*pairs, strict=True)
    result = at_any_size(NUMBER, torch.tensor(found).unsqueeze(-1), torch.tensor(right))
    assert result == {"mean_squared_error": pytest.approx(mean_squared_error(right, found), abs=1e-12)}


def test_a_large_number_keeps_the_error_of_a_small_one() -> None:
    # fp32 has no room for 1 beside 1e8 squared
    logits, labels = torch.tensor([[1e8], [1.0]]), torch.tensor([0.0, 0.0])
    assert measured(NUMBER, logits, labels, 2)["mean_squared_error"] == (1e16 + 1) / 2


@pytest.mark.parametrize("problem", [SINGLE, SEVERAL, NUMBER])
def test_nothing_evaluated_has_no_metric(problem: str) -> None:
    assert TASK.new_metrics((), problem).result() == {}


def batch(labels: list[Any], classes: int | None = None) -> dict[str, torch.Tensor]:
    rows = [{"input_ids": [5] * 2, "attention_mask": [1] * 2, "labels": label} for label in labels]
    tokenizer, model = SimpleNamespace(pad_token_id=0), SimpleNamespace(config=SimpleNamespace(num_labels=classes))
    found: dict[str, torch.Tensor] = TASK.collator(tokenizer, model)(rows)
    return found


def test_labels_are_classes_or_numbers_or_marks() -> None:
    one, several, number = batch([0, 2, 1]), batch([[], [0, 2], [1]], classes=3), batch([0.5, 2.0, -1.0])
    assert (one["labels"].dtype, one["labels"].tolist()) == (torch.int64, [0, 2, 1])
    assert (several["labels"].dtype, several["labels"].tolist()) == (torch.float32, [[0, 0, 0], [1, 0, 1], [0, 1, 0]])
    assert (number["labels"].dtype, number["labels"].tolist()) == (torch.float32, [0.5, 2.0, -1.0])
