"""A tag for each word, at the word's first token; and the metrics over tags."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from engine.errors import ConfigError
from engine.models.tiny import bert_tokenizer, llama_tokenizer
from engine.tasks import TASKS
from engine.tasks.token_classification import first_token_labels

TASK = TASKS["token-classification"]
TEXTS = ["Ada lives in Çorum", "Çorum lies far away", "in 1999 Ada moved"]


@pytest.fixture(scope="module")
def bert() -> PreTrainedTokenizerFast:
    return bert_tokenizer(TEXTS * 3)


def encoded(tokenizer: Any, words: list[str], tags: list[int], max_length: int = 32) -> Any:
    return TASK.encode([{"text": " ".join(words), "words": words, "label": tags}], tokenizer, max_length)


@pytest.mark.parametrize("build", [bert_tokenizer, llama_tokenizer])
def test_a_tag_stands_at_the_first_token_of_its_word_alone(build: Any) -> None:
    tokenizer = build(["a", "b"])
    # letters are tokens, and so is the space before a word
    words, tags = ["ab", "Çok", "c"], [3, 1, 2]
    (row,) = encoded(tokenizer, words, tags)
    pieces = tokenizer.convert_ids_to_tokens(row["input_ids"])
    at = [index for index, label in enumerate(row["labels"]) if label != -100]
    assert [row["labels"][index] for index in at] == tags
    assert [tokenizer.convert_tokens_to_string([pieces[index]]) for index in (at[0], at[2])] == ["a", "c"]
    # Ç is two bytes, of which the first one is the first token
    assert pieces[at[1]] == "Ã"
    assert not {row["input_ids"][index] for index in at} & set(tokenizer.all_special_ids)
    assert len(row["labels"]) == len(row["input_ids"]) == len(row["attention_mask"])


def test_a_token_keeps_the_space_before_its_word_as_in_running_text(bert: PreTrainedTokenizerFast) -> None:
    (row,) = encoded(bert, TEXTS[0].split(), [0, 1, 1, 2])
    assert row["input_ids"] == bert(TEXTS[0])["input_ids"]


def test_spans_decide_which_token_is_a_word_s_first() -> None:
    # [CLS] "ab" " c" "de" [SEP] over the words "ab", "cde"
    assert first_token_labels(["ab", "cde"], [5, 6], [(0, 0), (0, 2), (2, 4), (4, 6), (0, 0)]) == [
        -100,
        5,
        6,
        -100,
        -100,
    ]
    # one token of two words carries the first one's tag; a blank word and a word that was cut have none
    assert first_token_labels(["a", "b", "", "c"], [5, 6, 7, 8], [(0, 3)]) == [5]


def test_words_that_were_cut_are_no_targets_and_a_row_of_none_is_left_out(bert: PreTrainedTokenizerFast) -> None:
    words = ["Ada", "lives", "in", "Çorum"]
    short = encoded(bert, words, [1, 2, 3, 4], max_length=4)
    assert [label for label in short[0]["labels"] if label != -100] == [1, 2]
    assert short.truncated == 1
    none = encoded(bert, words, [1, 2, 3, 4], max_length=2)
    assert (len(none), none.dropped) == (0, 1)


def test_a_slow_tokenizer_is_refused_with_a_remedy() -> None:
    with pytest.raises(ConfigError, match="Choose a model with a fast tokenizer") as error:
        encoded(SimpleNamespace(is_fast=False), ["a"], [0])
    assert error.value.field == "task"


def measured(labels: list[list[int]], found: list[list[int]], names: tuple[str, ...], size: int) -> dict[str, float]:
    metrics = TASK.new_metrics(names)
    for start in range(0, len(labels), size):
        logits = torch.nn.functional.one_hot(torch.tensor(found[start : start + size]), len(names)).float()
        metrics.add(SimpleNamespace(logits=logits), {"labels": torch.tensor(labels[start : start + size])})
    return metrics.result()


def test_f1_is_over_all_tags_but_those_outside() -> None:
    labels, found = [[0, 1, 2, 2], [2, -100, 0, -100]], [[0, 2, 2, 1], [2, 1, 1, 0]]
    # 6 words, 3 right; of tags other than O: 3 actual, 3 predicted, 1 right: 2 · 1 / (3 + 3)
    assert measured(labels, found, ("B-X", "B-Y", "O"), 2) == {"accuracy": 3 / 6, "micro_f1": 2 / 6}
    # without an O every tag counts, and F1 is the accuracy
    assert measured(labels, found, ("x", "y", "z"), 2) == {"accuracy": 3 / 6, "micro_f1": 3 / 6}


def test_nothing_tagged_has_no_f1() -> None:
    assert measured([[2, 2]], [[2, 2]], ("B-X", "B-Y", "O"), 1) == {"accuracy": 1.0}
    assert TASK.new_metrics(("O",)).result() == {}


TAGGED = st.lists(st.tuples(st.sampled_from([0, 1, 2, -100]), st.integers(0, 2)), min_size=1, max_size=9)


@given(TAGGED)
def test_the_metrics_are_the_same_at_any_batch_size(words: list[tuple[int, int]]) -> None:
    labels, found = [[label] for label, _ in words], [[tag] for _, tag in words]
    names = ("B-X", "I-X", "O")
    assert measured(labels, found, names, 1) == measured(labels, found, names, 3) == measured(labels, found, names, 8)
