"""Model folders with other heads: body and head in one, and heads that an architecture lacks."""

from pathlib import Path
from typing import Any

import pytest
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

from engine.errors import ConfigError
from engine.models import Loaded, load
from engine.models.tiny import llama_tokenizer
from tests.engine.test_models_folder import TEXTS, rewrite

TASK = "text2text-generation"


def loaded(name: str, task: str = TASK) -> Loaded:
    return load(name, task, labels=None, texts=TEXTS, seed=1, cache=Path("/nowhere"))


def t5_folder(folder: Path, **changes: Any) -> Path:
    """A saved encoder-decoder, body and head in one."""
    found = loaded("tiny-t5")
    found.model.save_pretrained(folder)
    found.tokenizer.save_pretrained(folder)
    rewrite(folder / "config.json", **changes)
    return folder


def test_an_encoder_decoder_loads_as_it_was_saved(tmp_path: Path) -> None:
    found = loaded(str(t5_folder(tmp_path)))
    assert found.notices == []
    assert found.model.config.decoder_start_token_id == found.tokenizer.pad_token_id


def test_an_encoder_decoder_that_does_not_say_where_to_start_starts_with_padding(tmp_path: Path) -> None:
    found = loaded(str(t5_folder(tmp_path, decoder_start_token_id=None)))
    assert found.model.config.decoder_start_token_id == found.tokenizer.pad_token_id


def test_weights_that_an_encoder_decoder_lacks_are_those_of_its_body(tmp_path: Path) -> None:
    ((code, values),) = loaded(str(t5_folder(tmp_path, num_layers=4))).notices
    # a fourth encoder layer has four attention matrices, two feed-forward ones and two norms
    assert (code, values["count"]) == ("model.new-weights", 8)


def test_an_encoder_decoder_of_another_width_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="of another shape"):
        loaded(str(t5_folder(tmp_path, d_ff=128)))


@pytest.mark.parametrize("task", ["fill-mask", TASK])
def test_a_folder_without_the_head_of_a_task_is_named(task: str, tmp_path: Path) -> None:
    llama_tokenizer(TEXTS).save_pretrained(tmp_path)
    GPTNeoXForCausalLM(
        GPTNeoXConfig(vocab_size=300, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2)
    ).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match=f"has no head for {task}") as error:
        loaded(str(tmp_path), task)
    assert error.value.field == "task"
