"""Tokens taken out of a text: drawn from the seed, the pass and the place, and nothing else."""

import random
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from engine.errors import ConfigError
from engine.models.tiny import bert_tokenizer, llama_tokenizer
from engine.tasks import TASKS

TASK = TASKS["fill-mask"]
TEXTS = ["the cat sat on the mat and looked at the dog", "the dog ran", "a bird", "x"]


@pytest.fixture(scope="module")
def bert() -> PreTrainedTokenizerFast:
    return bert_tokenizer(TEXTS)


def numbered(rows: list[Any], epoch: int = 0) -> list[Any]:
    return [{**row, "epoch": epoch, "row": place} for place, row in enumerate(rows)]


def encoded(tokenizer: PreTrainedTokenizerFast, texts: list[str] = TEXTS) -> list[Any]:
    return list(TASK.encode([{"text": text} for text in texts], tokenizer, 64))


def test_a_model_without_a_mask_token_is_refused_with_a_remedy() -> None:
    with pytest.raises(ConfigError, match=r"no mask token, and fill-mask needs one\. Choose a masked") as error:
        encoded(llama_tokenizer(TEXTS))
    assert error.value.field == "task"


def test_a_label_is_the_token_that_was_there(bert: PreTrainedTokenizerFast) -> None:
    rows = encoded(bert)
    batch = TASK.collator(bert, seed=3)(numbered(rows))
    for row, ids, labels in zip(rows, batch["input_ids"].tolist(), batch["labels"].tolist(), strict=True):
        for place, original in enumerate(row["input_ids"]):
            assert labels[place] in (-100, original)
            if labels[place] == -100:
                assert ids[place] == original
            else:
                assert original not in bert.all_special_ids
        assert labels[len(row["input_ids"]) :] == [-100] * (len(labels) - len(row["input_ids"]))
        assert any(label != -100 for label in labels)


def test_every_seventh_token_or_so_is_taken_out_mostly_by_the_mask(bert: PreTrainedTokenizerFast) -> None:
    row = {"input_ids": [2, *[9] * 98, 3], "attention_mask": [1] * 100}
    collate = TASK.collator(bert, seed=1)
    kinds: Counter[str] = Counter()
    for epoch in range(100):
        batch = collate([{**row, "epoch": epoch, "row": 0}])
        places = batch["labels"][0] != -100
        # 15 % of 98 tokens
        assert int(places.sum()) == 15
        for token in batch["input_ids"][0][places].tolist():
            kinds["mask" if token == bert.mask_token_id else "same" if token == 9 else "other"] += 1
    assert kinds["mask"] / 1500 == pytest.approx(0.8, abs=0.04)
    assert kinds["other"] / 1500 == pytest.approx(0.1, abs=0.03)
    assert kinds["same"] / 1500 == pytest.approx(0.1, abs=0.03)


@settings(deadline=None)
@given(st.data())
def test_a_row_is_masked_alike_in_any_micro_batch(bert: PreTrainedTokenizerFast, data: st.DataObject) -> None:
    rows = numbered(encoded(bert))
    collate = TASK.collator(bert, seed=5)
    whole = collate(rows)
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True))
    part = collate([rows[place] for place in chosen])
    width = part["labels"].shape[1]
    assert torch.equal(part["labels"], whole["labels"][chosen][:, :width])
    assert torch.equal(part["input_ids"], whole["input_ids"][chosen][:, :width])


def test_another_pass_place_or_seed_takes_other_tokens_out(bert: PreTrainedTokenizerFast) -> None:
    row = {"input_ids": [2, *range(10, 60), 3], "attention_mask": [1] * 52}

    def labels(seed: int, epoch: int, place: int) -> list[int]:
        found: list[int] = TASK.collator(bert, seed=seed)([{**row, "epoch": epoch, "row": place}])["labels"][0].tolist()
        return found

    assert labels(1, 0, 0) == labels(1, 0, 0)
    assert len({tuple(labels(*each)) for each in [(1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)]}) == 5


def test_the_global_random_state_neither_decides_nor_changes(bert: PreTrainedTokenizerFast) -> None:
    rows = numbered(encoded(bert))
    random.seed(1), torch.manual_seed(1)
    before = (random.getstate(), torch.get_rng_state())
    first = TASK.collator(bert, seed=7)(rows)
    assert random.getstate() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])
    random.seed(2), torch.manual_seed(2)
    assert torch.equal(first["input_ids"], TASK.collator(bert, seed=7)(rows)["input_ids"])


@pytest.mark.slow
def test_masks_are_the_same_in_another_process() -> None:
    script = (
        "from engine.models.tiny import bert_tokenizer; from engine.tasks import TASKS; "
        "row = {'input_ids': list(range(10, 60)), 'attention_mask': [1] * 50, 'epoch': 2, 'row': 3}; "
        "print(TASKS['fill-mask'].collator(bert_tokenizer(['a cat']), seed=4)([row])['input_ids'].tolist())"
    )
    both = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(both) == 1


def test_a_row_of_special_tokens_alone_is_left_out_and_counted(bert: PreTrainedTokenizerFast) -> None:
    found = TASK.encode([{"text": ""}, {"text": "[MASK]"}, {"text": "a bird"}], bert, 16)
    assert (len(found), found.dropped) == (1, 2)
