"""A model before it is loaded, and the models of the local cache."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from engine.errors import ConfigError
from engine.models import BUILT_IN, cached_models, load, model_card
from engine.models.card import EMPTY
from engine.models.known import class_for
from engine.tasks import TASKS
from tests.engine.fake_hub import fake_hub

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32000
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder whose file has a header and no numbers: nothing of them is read."""
    made = tmp_path / "model"
    made.mkdir()
    header = {
        "model.embed_tokens.weight": {"dtype": "BF16", "shape": [32000, 8], "data_offsets": [0, 512000]},
        "position_ids": {"dtype": "I64", "shape": [5], "data_offsets": [512000, 512040]},
        "__metadata__": {"format": "pt"},
    }
    text = json.dumps(header).encode()
    (made / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)
    (made / "config.json").write_text(json.dumps(CONFIG))
    (made / "README.md").write_text("---\nlanguage: en\nlicense: mit  # ours\n---\n# A model\n")
    (made / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    return made


def test_a_folder_is_described_by_its_small_files_and_the_header_of_its_weights(folder: Path) -> None:
    card = model_card(str(folder), "text-generation")
    assert {key: card[key] for key in ("architecture", "parameters", "context", "vocabulary", "licence", "dtype")} == {
        "architecture": "LlamaForCausalLM", "parameters": 256_000, "context": 4096, "vocabulary": 32_000,
        "licence": "mit", "dtype": "bfloat16",
    }  # fmt: skip
    assert (card["serves"], card["new_head"], card["chat_template"]) == (True, False, True)
    assert card.keys() == EMPTY.keys() and json.dumps(card)


def test_a_head_that_the_task_needs_anew_is_said(folder: Path) -> None:
    assert model_card(str(folder), "text-classification")["new_head"] is True
    assert model_card(str(folder), "fill-mask")["serves"] is False


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "{"), ("config.json", "[]"), ("model.safetensors", "short"), ("model.safetensors", ""),
        ("README.md", "---\nlicense:\n"), ("tokenizer_config.json", "nothing"),
        ("model.safetensors.index.json", '{"weight_map": 3}'), ("config.json", '{"architectures": 3}'),
    ],
)  # fmt: skip
def test_a_broken_file_only_leaves_its_part_unknown(folder: Path, file: str, content: str) -> None:
    (folder / file).write_text(content)
    assert model_card(str(folder), "text-generation").keys() == EMPTY.keys()


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"quantization_config": {"bits": 4}}, "quantized"),
        ({"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}, "own_code"),
    ],
)
def test_what_will_not_be_loaded_is_said(folder: Path, changes: dict[str, Any], key: str) -> None:
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}))
    assert model_card(str(folder), "text-generation")[key] is True


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_model_has_a_card_for_each_task(name: str) -> None:
    for task in TASKS:
        card = model_card(name, task)
        assert card["parameters"] and card["architecture"] and card["context"]
        assert card["serves"] is (task in BUILT_IN[name].tasks)


@pytest.mark.parametrize(("name", "task"), [("tiny-llama", "text-generation"), ("tiny-t5", "text2text-generation")])
def test_a_model_built_in_code_is_about_as_large_as_its_card_says(name: str, task: str, tmp_path: Path) -> None:
    texts = [" ".join(chr(97 + (place * step) % 26) * (step % 7 + 1) for step in range(60)) for place in range(400)]
    model = load(name, task, labels=None, texts=texts, seed=1, cache=tmp_path).model
    width = model.get_input_embeddings().embedding_dim
    whole = model.num_parameters() + (2048 - model.config.vocab_size) * width
    assert model_card(name, task)["parameters"] == pytest.approx(whole, rel=0.01)


def test_the_class_of_a_task_is_that_which_transformers_takes() -> None:
    from transformers import AutoConfig

    for kind in ("llama", "bert", "t5", "gpt2", "roberta"):
        for task, about in TASKS.items():
            mapping = about.model_class()._model_mapping
            config = type(AutoConfig.for_model(kind))
            found = mapping.get(config, None)
            found = found[0] if isinstance(found, tuple) else found
            assert class_for(kind, task) == (found.__name__ if found else None)


def test_a_model_of_the_hub_that_is_not_here_costs_one_short_question(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_hub(monkeypatch, models={"ann/llama": folder}) as asked:
        card = model_card("ann/llama", "text-generation")
        assert (card["architecture"], card["context"], card["here"]) == ("LlamaForCausalLM", 4096, False)
        assert not any("safetensors" in line for line in asked)
        with pytest.raises(ConfigError) as fault:
            model_card("ann/none", "text-generation")
    assert fault.value.code == "model.unknown"


def in_cache(root: Path, name: str, config: str | None) -> None:
    place = root / f"models--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("0" * 40)
    if config is not None:
        (place / "snapshots" / ("0" * 40)).mkdir(parents=True)
        (place / "snapshots" / ("0" * 40) / "config.json").write_text(config)


def test_the_cache_is_searched_and_what_is_broken_there_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert cached_models() == []
    in_cache(tmp_path, "ann/llama", json.dumps(CONFIG))
    in_cache(tmp_path, "bob/bert", json.dumps({"model_type": "bert"}))
    in_cache(tmp_path, "cut/off", None)
    in_cache(tmp_path, "no/json", "{")
    in_cache(tmp_path, "no/mapping", "[]")
    (tmp_path / "models--odd").write_text("a file")
    (tmp_path / "datasets--ann--rows").mkdir()
    assert [model["id"] for model in cached_models()] == ["ann/llama", "bob/bert"]
    assert [model["serves"] for model in cached_models("text2text-generation")] == [False, False]
    assert [model["serves"] for model in cached_models("fill-mask")] == [False, True]


def test_a_cache_that_is_not_there_is_an_empty_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "nowhere"))
    assert cached_models() == []
