"""The line under the Model field."""

from pathlib import Path
from typing import Any

import pytest

from gui.cards import card_line
from gui.text import ENGLISH
from tests.engine.test_model_card import folder  # noqa: F401


def names(model: str, task: str) -> dict[str, Any]:
    return {phrase["name"]: phrase["values"] for line in card_line(model, task) for phrase in line}


def test_a_card_says_what_a_model_is_and_what_the_task_needs() -> None:
    said = names("minilm", "text-classification")
    assert said == {
        "card.architecture": {"name": "BertModel"},
        "card.parameters.m": {"count": 22.7},
        "card.context": {"tokens": 512},
        "card.licence": {"licence": "Apache-2.0"},
        "card.new-head": {},
    }
    assert said.keys() <= ENGLISH.keys()


@pytest.mark.parametrize(
    ("model", "task", "one"),
    [
        ("tiny-bert", "fill-mask", "card.random"),
        ("tiny-bert", "text-generation", "card.no-head"),
        ("smollm2", "text-generation", "card.chat"),
    ],
)
def test_each_model_says_what_is_particular(model: str, task: str, one: str) -> None:
    assert one in names(model, task)


def test_what_the_page_would_not_load_is_said(folder: Path) -> None:  # noqa: F811
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert names(str(folder), "text-generation")["card.other-weights"] == {"file": "pytorch_model.bin"}


@pytest.mark.parametrize("model", ["no/such-model", "~nobody/x", "", "tiny-lama"])
def test_of_a_model_that_is_none_nothing_is_said(model: str) -> None:
    assert card_line(model, "text-generation") == []
