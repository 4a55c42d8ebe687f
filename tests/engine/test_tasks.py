"""What a row becomes: token ids, labels, padding; and what is measured."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import DataCollatorWithFlattening, PreTrainedTokenizerFast

from engine.errors import WORDING, ConfigError
from engine.models.tiny import bert_tokenizer, llama_tokenizer
from engine.tasks import TASKS, get_task
from engine.tasks.base import Padding

GENERATION, CLASSIFICATION = TASKS["text-generation"], TASKS["text-classification"]
TEXTS = ["the cat sat on the mat", "the dog ran", "a bird", "x"]


@pytest.fixture(scope="module")
def llama() -> PreTrainedTokenizerFast:
    return llama_tokenizer(TEXTS)


@pytest.fixture(scope="module")
def bert() -> PreTrainedTokenizerFast:
    return bert_tokenizer(TEXTS)


def rows(*texts: str) -> list[dict[str, Any]]:
    return [{"text": text, "label": index % 2} for index, text in enumerate(texts)]


def test_an_unknown_task_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="Did you mean text-generation") as error:
        get_task("text-generatoin")
    assert error.value.field == "task"


def test_generated_text_is_its_own_labels_and_ends_with_the_end_of_text(llama: PreTrainedTokenizerFast) -> None:
    (row,) = GENERATION.encode(rows("the cat"), llama, 16)
    assert row["input_ids"] == [*llama("the cat")["input_ids"], llama.eos_token_id]
    assert row["labels"] == row["input_ids"]
    assert row["attention_mask"] == [1] * len(row["input_ids"])


def test_an_encoder_ends_a_text_with_its_separator_once(bert: PreTrainedTokenizerFast) -> None:
    (row,) = GENERATION.encode(rows("the cat"), bert, 16)
    assert row["input_ids"] == bert("the cat")["input_ids"]
    assert row["input_ids"].count(bert.sep_token_id) == 1


def test_a_cut_text_is_counted_and_does_not_end(llama: PreTrainedTokenizerFast) -> None:
    encoded = GENERATION.encode(rows("the cat sat on the mat", "a bird"), llama, 4)
    assert len(encoded[0]["input_ids"]) == 4
    assert llama.eos_token_id not in encoded[0]["input_ids"]
    assert encoded[1]["input_ids"][-1] == llama.eos_token_id
    assert encoded.truncated == 1
    assert encoded.notices == [("task.cut-rows", {"count": 1, "rows": 2, "max_length": 4})]


def test_a_cut_class_row_keeps_its_special_tokens(bert: PreTrainedTokenizerFast) -> None:
    encoded = CLASSIFICATION.encode(rows("the cat sat on the mat", "x"), bert, 4)
    ids = encoded[0]["input_ids"]
    assert len(ids) == 4
    assert (ids[0], ids[-1]) == (bert.cls_token_id, bert.sep_token_id)
    assert encoded.truncated == 1
    assert [row["labels"] for row in encoded] == [0, 1]


class OneTokenALetter:
    """A tokenizer without special tokens."""

    eos_token_id = sep_token_id = None

    def __call__(self, texts: list[str], **_: Any) -> dict[str, list[list[int]]]:
        return {"input_ids": [[5] * len(text) for text in texts]}


def test_rows_without_a_target_are_left_out_and_counted() -> None:
    silent: Any = OneTokenALetter()
    # One token predicts none; no token has no place for a class.
    generation = GENERATION.encode(rows("", "x", "xy"), silent, 8)
    classification = CLASSIFICATION.encode(rows("", "x", "xy"), silent, 8)
    assert [len(row["input_ids"]) for row in generation] == [2]
    assert generation.dropped == 2
    assert generation.notices == [("task.rows-without-target", {"count": 2, "rows": 3, "max_length": 8})]
    assert [len(row["input_ids"]) for row in classification] == [1, 2]
    assert classification.dropped == 1


def test_every_notice_has_its_words(llama: PreTrainedTokenizerFast) -> None:
    encoded = GENERATION.encode(rows("the cat sat on the mat"), llama, 4)
    ((code, values),) = encoded.notices
    assert WORDING[code].message.format(**values) == "1 of 1 rows are longer than 4 tokens and were cut there."


def test_many_rows_are_encoded_in_chunks_and_in_order(llama: PreTrainedTokenizerFast) -> None:
    texts = [str(number) for number in range(2500)]
    encoded = GENERATION.encode(rows(*texts), llama, 16)
    assert [llama.decode(row["input_ids"][:-1]) for row in encoded] == texts


def test_padding_fills_to_the_longest_row_on_the_right() -> None:
    # Case 2's labels [[5,6,7,8,9],[5,6,-100,-100,-100]] out of rows of 5 and 2 tokens.
    batch = Padding(0)(
        [
            {"input_ids": [5, 6, 7, 8, 9], "attention_mask": [1] * 5, "labels": [5, 6, 7, 8, 9]},
            {"input_ids": [5, 6], "attention_mask": [1] * 2, "labels": [5, 6]},
        ]
    )
    assert batch["labels"].tolist() == [[5, 6, 7, 8, 9], [5, 6, -100, -100, -100]]
    assert batch["input_ids"].tolist() == [[5, 6, 7, 8, 9], [5, 6, 0, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]]
    # Of labels after the first: 4 + 1 = 5 targets for a head that shifts, 7 for one that doesn't.
    assert int((batch["labels"][:, 1:] != -100).sum()) == 5
    assert int((batch["labels"] != -100).sum()) == 7


def test_the_end_of_text_stays_a_target_where_it_is_the_padding_as_well() -> None:
    pad = end = 2
    batch = Padding(pad)(
        [
            {"input_ids": [5, 6, 7, end], "attention_mask": [1] * 4, "labels": [5, 6, 7, end]},
            {"input_ids": [8, end], "attention_mask": [1] * 2, "labels": [8, end]},
        ]
    )
    assert batch["labels"].tolist() == [[5, 6, 7, 2], [8, 2, -100, -100]]


def test_class_labels_are_one_a_row() -> None:
    rows = [{"input_ids": [1] * n, "attention_mask": [1] * n, "labels": n % 2} for n in (2, 3, 1)]
    batch = Padding(0)(rows)
    assert batch["labels"].tolist() == [0, 1, 1]
    assert batch["input_ids"].shape == (3, 3)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_no_label_is_lost_or_made_by_padding(lengths: list[int]) -> None:
    rows = [{"input_ids": [7] * n, "attention_mask": [1] * n, "labels": [7] * n} for n in lengths]
    batch = Padding(7)(rows)
    assert {tensor.dtype for tensor in batch.values()} == {torch.int64}
    assert {tuple(tensor.shape) for tensor in batch.values()} == {(len(lengths), max(lengths))}
    assert ((batch["labels"] == 7) == (batch["attention_mask"] == 1)).all()
    assert batch["attention_mask"].sum(1).tolist() == lengths


def test_rows_can_be_packed_without_padding() -> None:
    # Case 4: rows of 3 and 4 tokens have 2 + 3 = 5 targets, packed as padded.
    rows = [
        {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": list(ids)} for ids in ([1, 2, 3], [4, 5, 6, 7])
    ]
    packed = DataCollatorWithFlattening(return_position_ids=True)([{**row} for row in rows])
    assert packed["labels"].tolist() == [[-100, 2, 3, -100, 5, 6, 7]]
    padded = Padding(0)(rows)["labels"]
    assert int((packed["labels"] != -100).sum()) == int((padded[:, 1:] != -100).sum()) == 5


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12), st.integers(1, 5))
def test_accuracy_is_the_same_at_any_batch_size(pairs: list[tuple[int, int]], size: int) -> None:
    metrics = CLASSIFICATION.new_metrics()
    for start in range(0, len(pairs), size):
        part = pairs[start : start + size]
        logits = torch.nn.functional.one_hot(torch.tensor([guess for guess, _ in part]), 3).float()
        metrics.add(SimpleNamespace(logits=logits), {"labels": torch.tensor([right for _, right in part])})
    right = sum(guess == label for guess, label in pairs) / len(pairs)
    assert metrics.result(1.0)["accuracy"] == right


def test_perplexity_is_e_to_the_mean_loss() -> None:
    # Case 3: uniform over 4 tokens, loss ln 4, perplexity 4.
    metrics = GENERATION.new_metrics()
    metrics.add(SimpleNamespace(loss=torch.tensor(9.0)), {})
    assert metrics.result(math.log(4))["perplexity"] == pytest.approx(4)


@pytest.mark.parametrize("loss", [None, math.nan, math.inf, 1e4])
def test_there_is_no_perplexity_of_a_loss_that_has_none(loss: float | None) -> None:
    assert GENERATION.new_metrics().result(loss) == {}


def test_nothing_evaluated_has_no_accuracy() -> None:
    assert CLASSIFICATION.new_metrics().result(None) == {}
