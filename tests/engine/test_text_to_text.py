"""Sources and targets: labels that end, decoder inputs that are there, and data whose answers are right."""

import math
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from engine.accumulation import deal, positions
from engine.datasets import BUILT_IN
from engine.datasets.numerals import english, turkish
from engine.models.tiny import bert_tokenizer, build, t5_tokenizer
from engine.tasks import TASKS

TASK = TASKS["text2text-generation"]
ROWS = [{"text": "two and two", "label": "four"}, {"text": "one", "label": "one and nothing else"}]
TEXTS = [text for row in ROWS for text in row.values()]


@pytest.fixture(scope="module")
def t5() -> PreTrainedTokenizerFast:
    return t5_tokenizer(TEXTS)


def test_labels_are_the_target_s_tokens_and_end_once(t5: PreTrainedTokenizerFast) -> None:
    for row, encoded in zip(ROWS, TASK.encode(ROWS, t5, 32), strict=True):
        assert t5.decode(encoded["labels"]) == row["label"] + "</s>"
        assert t5.decode(encoded["input_ids"]) == row["text"] + "</s>"
        assert TASK.widths(encoded) == (len(encoded["input_ids"]), len(encoded["labels"]))


def test_a_tokenizer_that_does_not_end_a_text_is_helped(t5: PreTrainedTokenizerFast) -> None:
    bare = t5_tokenizer(TEXTS)
    bare.backend_tokenizer.post_processor = bert_tokenizer(TEXTS).backend_tokenizer.post_processor
    bare.backend_tokenizer.post_processor = type(bare.backend_tokenizer.post_processor)(single="$A", special_tokens=[])
    (row,) = TASK.encode(ROWS[:1], bare, 32)
    assert row["labels"][-1] == bare.eos_token_id
    assert row["input_ids"][-1] != bare.eos_token_id


def test_both_sides_are_cut_and_a_row_is_counted_once(t5: PreTrainedTokenizerFast) -> None:
    long = {"text": "nine " * 20, "label": "four " * 20}
    encoded = TASK.encode([long, {"text": "x", "label": "y"}, {"text": "x", "label": "four " * 20}], t5, 6)
    assert TASK.widths(encoded[0]) == (6, 6)
    assert encoded.truncated == 2


def test_a_batch_carries_what_the_decoder_reads(t5: PreTrainedTokenizerFast) -> None:
    model = build("tiny-t5", TASK.name, None, None, TEXTS).model
    batch = TASK.collator(t5, model)(list(TASK.encode(ROWS, t5, 32)))
    labels, inputs = batch["labels"], batch["decoder_input_ids"]
    assert labels.shape == inputs.shape
    # one to the right, from the start on; what is no label is padding
    assert inputs[:, 0].tolist() == [t5.pad_token_id] * 2
    assert torch.equal(inputs[:, 1:], labels[:, :-1].masked_fill(labels[:, :-1] == -100, t5.pad_token_id))
    assert batch["input_ids"].shape[1] != labels.shape[1]
    own = {name: value for name, value in batch.items() if name != "decoder_input_ids"}
    assert torch.equal(model(**own).loss, model(**batch).loss)
    assert "decoder_input_ids" not in TASK.collator(t5)(list(TASK.encode(ROWS, t5, 32)))


def test_a_token_budget_counts_source_and_target() -> None:
    widths = [(10, 2), (3, 9), (4, 4)]
    # rows × (longest source + longest target): 2 × (10 + 9) = 38
    assert positions(widths[:2]) == 38
    assert deal(widths, micro_batch=2, tokens=37) == [[0], [1, 2]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), min_size=1, max_size=9))
def test_perplexity_and_accuracy_are_the_same_at_any_batch_size(pairs: list[tuple[int, int]]) -> None:
    results = []
    for size in (1, 3, 8):
        metrics = TASK.new_metrics()
        for start in range(0, len(pairs), size):
            part = pairs[start : start + size]
            logits = torch.nn.functional.one_hot(torch.tensor([[found] for found, _ in part]), 4).float()
            labels = torch.tensor([[right if right >= 0 else -100] for _, right in part])
            metrics.add(SimpleNamespace(logits=logits), {"labels": labels})
        results.append(metrics.result(math.log(4)))
    targets = [(found, right) for found, right in pairs if right >= 0]
    assert results[0]["perplexity"] == pytest.approx(4)
    assert results[0] == results[1] == results[2]
    if targets:
        assert results[0]["accuracy"] == sum(found == right for found, right in targets) / len(targets)


@pytest.mark.parametrize(
    ("number", "in_english", "in_turkish"),
    [
        (0, "zero", "sıfır"),
        (17, "seventeen", "on yedi"),
        (40, "forty", "kırk"),
        (142, "one hundred and forty-two", "yüz kırk iki"),
        (1001, "one thousand and one", "bin bir"),
        (21_500, "twenty-one thousand five hundred", "yirmi bir bin beş yüz"),
        (300_019, "three hundred thousand and nineteen", "üç yüz bin on dokuz"),
        (101_101, "one hundred and one thousand one hundred and one", "yüz bir bin yüz bir"),
    ],
)
def test_numbers_are_said_as_people_say_them(number: int, in_english: str, in_turkish: str) -> None:
    assert (english(number), turkish(number)) == (in_english, in_turkish)


def test_the_built_in_answers_are_right() -> None:
    sums, numerals = (BUILT_IN[name] for name in ("sums", "numerals"))
    for row in sums.rows(3):
        assert eval(row["source"].rstrip("=").replace("×", "*")) == int(row["target"])
        assert " " not in row["source"]
    for row in numerals.rows(3):
        assert row["source"] in (english(int(row["target"])), turkish(int(row["target"])))
