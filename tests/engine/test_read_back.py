"""Micro-batches read back as text, with their targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine.events import MicroBatchSeen
from engine.tasks import packed
from engine.tasks.text_generation import next_token_labels
from engine.trainer.read_back import CHARACTERS, ROWS, TOKENS, ReadBack
from tests.engine.task_runs import TaskRun
from tests.engine.tiny import pad

WORDS = ["[PAD]", "[MASK]", "the", "cat", "sat", "down", "again", "."]


class Words:
    """A tokenizer whose tokens are words, apart by a space."""

    def decode(self, ids: list[int], **_: Any) -> str:
        return " ".join(WORDS[token] for token in ids)


def read(task: str, batch: dict[str, Any], *, shifts: bool = False, labels: Any = ()) -> Any:
    return ReadBack(task, Words(), labels)(batch, shifts=shifts)


def causal(*rows: list[int]) -> list[dict[str, Any]]:
    return [{"input_ids": row, "labels": list(row)} for row in rows]


def pieces(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(piece.values()) for piece in row["pieces"]]


def test_all_but_the_first_token_of_a_causal_row_are_targets_and_padding_is_left_out() -> None:
    rows, more = read("text-generation", pad(causal([2, 3, 4], [2, 3, 4, 5, 7])), shifts=True)
    assert more == 0
    assert [pieces(row) for row in rows] == [
        [("the", False), (" cat sat", True)],
        [("the", False), (" cat sat down .", True)],
    ]
    assert [(row["targets"], row["label"], row["more"]) for row in rows] == [(2, None, 0), (4, None, 0)]


def test_a_head_that_does_not_shift_and_one_that_does_read_the_same_targets() -> None:
    rows = causal([2, 3, 4], [2, 3, 4, 5, 7])
    shifted = read("text-generation", pad(rows), shifts=True)
    assert read("text-generation", next_token_labels(pad, rows)) == shifted
    named = {**pad(rows), "shift_labels": next_token_labels(pad, rows)["labels"]}
    assert read("text-generation", named, shifts=True) == shifted


def test_of_a_conversation_only_the_answers_are_targets() -> None:
    [row], _ = read(
        "text-generation", pad([{"input_ids": [2, 3, 4, 5, 6], "labels": [-100, -100, 4, -100, 6]}]), shifts=True
    )
    assert pieces(row) == [("the cat", False), (" sat", True), (" down", False), (" again", True)]
    assert row["targets"] == 2


def test_packed_rows_come_apart_again() -> None:
    rows = causal([2, 3, 4], [2, 3, 4, 5, 7])
    assert read("text-generation", packed(rows), shifts=True) == read("text-generation", pad(rows), shifts=True)
    assert read("text-generation", packed(rows * 5), shifts=True)[1] == 10 - ROWS


def test_of_a_masked_token_both_what_stands_there_and_what_is_wanted_are_told() -> None:
    # “sat” is hidden, “.” has become “the”, “cat” is to be told although it can be seen
    batch = pad([{"input_ids": [2, 3, 1, 2], "labels": [-100, 3, 4, 7]}])
    [row], _ = read("fill-mask", batch)
    assert pieces(row) == [("the", False), (" cat [MASK] the", True, "cat sat .")]
    assert row["targets"] == 3


def test_classes_and_numbers_are_labels_in_words() -> None:
    ids = {"input_ids": torch.tensor([[2, 3]]), "attention_mask": torch.tensor([[1, 1]])}
    names = ("bad", "good", "long")
    for labels, words in (
        (torch.tensor([1]), "good"),
        (torch.tensor([[1.0, 0.0, 1.0]]), "bad, long"),
        (torch.tensor([0.25]), "0.25"),
    ):
        [row], _ = read("text-classification", {**ids, "labels": labels}, labels=names)
        assert (row["label"], row["targets"], pieces(row)) == (words, 1, [("the cat", False)])
    # classes without names
    assert read("text-classification", {**ids, "labels": torch.tensor([1])})[0][0]["label"] == "1"


def test_tags_stand_at_their_words() -> None:
    batch = pad([{"input_ids": [2, 3, 4, 7], "labels": [0, 1, -100, 0]}])
    [row], _ = read("token-classification", batch, labels=("O", "B-PER"))
    assert pieces(row) == [("the cat", True, "O B-PER"), (" sat", False), (" .", True, "O")]


def test_a_source_is_followed_by_its_target_whatever_their_lengths() -> None:
    for target in ([4, 5], [4]):
        batch = {
            "input_ids": torch.tensor([[2, 3, 0]]),
            "attention_mask": torch.tensor([[1, 1, 0]]),
            "labels": torch.tensor([[*target, *[-100] * (3 - len(target))]]),
        }
        [row], _ = read("text2text-generation", batch)
        words = " ".join(WORDS[token] for token in target)
        assert (pieces(row), row["targets"]) == ([("the cat", False), (words, True)], len(target))


def test_rows_tokens_and_characters_are_bounded_and_the_rest_counted() -> None:
    rows = causal(*[[2] * (TOKENS + 7)] * (ROWS + 3))
    found, more = read("text-generation", pad(rows), shifts=True)
    assert (len(found), more) == (ROWS, 3)
    # “the ” a hundred times is 399 characters, and 7 tokens are left out
    assert sum(len(piece["text"]) for piece in found[0]["pieces"]) == 4 * TOKENS - 1 <= CHARACTERS
    assert (found[0]["more"], found[0]["targets"]) == (7, TOKENS + 6)
    long, _ = read("text-generation", pad(causal([6] * TOKENS)), shifts=True)
    assert sum(len(piece["text"]) for piece in long[0]["pieces"]) == CHARACTERS


@pytest.mark.parametrize(
    ("model", "task", "data"),
    [
        ("tiny-bert", "fill-mask", "stdlib-docstrings"),
        ("tiny-bert", "text-classification", "sentiment"),
        ("tiny-llama", "text-generation", "sums"),
    ],
)
def test_the_rows_of_a_run_are_told_as_its_model_reads_them(model: str, task: str, data: str, tmp_path: Path) -> None:
    run = TaskRun(model, task, {"name": data}, tmp_path)
    run.trainer.watched = lambda: True
    run.trainer.train()
    seen = run.of(MicroBatchSeen)
    assert [(len(each.rows), each.more) for each in seen] == [(2, 0)] * 4
    rows = [row for each in seen for row in each.rows]
    for row in rows:
        marked = [piece for piece in row["pieces"] if piece["target"]]
        assert all(piece["text"] for piece in row["pieces"])
        assert bool(marked) is (task != "text-classification") and row["targets"] > 0
        assert all(("wanted" in piece) is (task == "fill-mask") for piece in marked)
        assert (row["label"] in run.prepared.loaded.model.config.label2id) is (task == "text-classification")
