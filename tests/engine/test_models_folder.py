"""A folder or a Hub id as the model: what is wrong with it is said at once, and a wrong id within seconds."""

import json
import shutil
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
)

from engine import hub
from engine.errors import ConfigError
from engine.models import Loaded, check, load
from engine.models.tiny import bert_tokenizer, llama_tokenizer
from tests.engine.fake_hub import fake_hub, point_at

GENERATION, CLASSIFICATION = "text-generation", "text-classification"
TEXTS = ["good and bad", "neither good nor bad"]
LABELS = ("bad", "good")


def loaded(name: str, task: str, *, labels: tuple[str, ...] = LABELS, seed: int = 1) -> Loaded:
    names = labels if task == CLASSIFICATION else None
    return load(name, task, labels=names, texts=TEXTS, seed=seed, cache=Path("/nowhere"))


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved classifier of the classes bad and good."""
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    found = load("tiny-bert", CLASSIFICATION, labels=LABELS, texts=TEXTS, seed=1, cache=folder)
    found.model.save_pretrained(folder)
    found.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def model(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "model"))


def rewrite(file: Path, **changes: Any) -> None:
    content = json.loads(file.read_text())
    content.update(changes)
    file.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


def move(folder: Path, name: str, other: str) -> None:
    (folder / name).rename(folder / other)


def sharded(folder: Path) -> None:
    move(folder, "model.safetensors", "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def without_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


AT_A_GLANCE: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "no config": (lambda folder: (folder / "config.json").unlink(), "model.no-config", "no config.json in"),
    "broken config": (lambda folder: (folder / "config.json").write_text("{"), "model.broken", "config.json"),
    "config is a list": (lambda folder: (folder / "config.json").write_text("[]"), "model.broken", "no JSON object"),
    "no type": (lambda folder: rewrite(folder / "config.json", model_type=None), "model.no-type", "no model_type"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "model.no-weights", "no weights in"),
    "pickle alone": (
        lambda folder: move(folder, "model.safetensors", "pytorch_model.bin"),
        "model.other-weights",
        "as pytorch_model.bin; only safetensors are read",
    ),
    "a shard is missing": (sharded, "model.missing-file", "model-00002-of-00002.safetensors is missing"),
    "no tokenizer": (without_tokenizer, "model.no-tokenizer", "no tokenizer in"),
    "quantised": (
        lambda folder: rewrite(folder / "config.json", quantization_config={"bits": 4}),
        "model.quantized",
        "can't be trained",
    ),
}


@pytest.mark.parametrize("case", AT_A_GLANCE)
def test_an_incomplete_folder_is_found_at_a_glance(case: str, model: Path) -> None:
    spoil, code, words = AT_A_GLANCE[case]
    spoil(model)
    with pytest.raises(ConfigError) as error:
        check(str(model), CLASSIFICATION)
    assert (error.value.code, error.value.field) == (code, "model")
    assert words in error.value.line


def cut_off(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


ON_LOADING: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "weights cut off": (cut_off, "model.broken", "can't be loaded"),
    "weights are no safetensors": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"pickle"), "model.broken", "can't be loaded"
    ),
    "another width": (
        lambda folder: rewrite(folder / "config.json", hidden_size=96), "model.wrong-shape", "of another shape"
    ),
    "unknown architecture": (
        lambda folder: rewrite(folder / "config.json", model_type="gpt-77"), "model.broken", "gpt-77"
    ),
    "code of its own": (
        lambda folder: rewrite(folder / "config.json", model_type="own", auto_map={"AutoConfig": "own.Config"}),
        "model.own-code", "not run",
    ),
    "broken tokenizer": (
        lambda folder: (folder / "tokenizer.json").write_text("{}"), "model.broken", "tokenizer"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ON_LOADING)
def test_a_broken_folder_is_told_when_it_is_loaded(case: str, model: Path) -> None:
    spoil, code, words = ON_LOADING[case]
    spoil(model)
    before = torch.get_rng_state()
    with pytest.raises(ConfigError) as error:
        loaded(str(model), CLASSIFICATION)
    assert (error.value.code, error.value.field) == (code, "model")
    assert words in error.value.line
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("name", "task", "code", "field", "words"),
    [
        ("minilmm", CLASSIFICATION, "model.misspelt", "model", "Did you mean minilm?"),
        ("tiny-lama", GENERATION, "model.misspelt", "model", "Did you mean tiny-llama?"),
        ("MiniLM", GENERATION, "model.misspelt", "model", "Did you mean minilm?"),
        ("./no/such", GENERATION, "model.no-folder", "model", "built in are minilm"),
        ("/no/such", GENERATION, "model.no-folder", "model", "/no/such"),
        ("no such model", GENERATION, "model.no-folder", "model", "Check the path"),
        ("ann/model", GENERATION, "model.offline", "model", "HF_HUB_OFFLINE forbids fetching it"),
        ("tiny-bert", GENERATION, "model.wrong-task", "task", "Choose minilm or smollm2 or tiny-llama as model"),
        ("tiny-bert", "sums", "task.unknown", "task", "no task “sums”"),
    ],
)
def test_a_wrong_name_is_named_before_anything_is_loaded(
    name: str, task: str, code: str, field: str, words: str
) -> None:
    with pytest.raises(ConfigError) as error:
        check(name, task)
    assert (error.value.code, error.value.field) == (code, field)
    assert words in error.value.line


def test_a_file_is_no_model_folder(model: Path) -> None:
    with pytest.raises(ConfigError, match="is a file, not a folder"):
        check(str(model / "model.safetensors"), CLASSIFICATION)


def test_a_head_of_as_many_classes_is_kept_and_new_names_are_said(model: Path) -> None:
    found = loaded(str(model), CLASSIFICATION, labels=("no", "yes"))
    assert found.notices == [("model.classes-renamed", {"before": "bad, good", "after": "no, yes"})]
    assert found.model.config.id2label == {0: "no", 1: "yes"}


def test_a_head_of_other_classes_is_made_anew_from_the_seed(model: Path) -> None:
    first, again, other = (
        loaded(str(model), CLASSIFICATION, labels=("a", "b", "c"), seed=seed).model.state_dict() for seed in (1, 1, 2)
    )
    assert first["classifier.weight"].shape[0] == 3
    assert torch.equal(first["classifier.weight"], again["classifier.weight"])
    assert not torch.equal(first["classifier.weight"], other["classifier.weight"])
    assert torch.equal(first["bert.pooler.dense.weight"], other["bert.pooler.dense.weight"])
    (notice,) = loaded(str(model), CLASSIFICATION, labels=("a", "b", "c")).notices
    assert notice[0] == "model.new-head"


def test_weights_of_the_body_that_the_file_lacks_are_said(model: Path) -> None:
    rewrite(model / "config.json", num_hidden_layers=5)
    ((code, values),) = loaded(str(model), CLASSIFICATION).notices
    # A fifth layer has six matrices with biases and two norms.
    assert (code, values["count"]) == ("model.new-weights", 16)


def test_a_model_saved_for_several_labels_is_trained_for_one(model: Path) -> None:
    rewrite(model / "config.json", problem_type="multi_label_classification")
    assert loaded(str(model), CLASSIFICATION).model.config.problem_type == "single_label_classification"


def test_a_folder_of_half_precision_is_trained_in_full(tmp_path: Path, model: Path) -> None:
    found = loaded(str(model), CLASSIFICATION)
    found.model.half().save_pretrained(model)
    assert {p.dtype for p in loaded(str(model), CLASSIFICATION).model.parameters()} == {torch.float32}


def test_a_tokenizer_without_padding_pads_with_the_end_of_text(tmp_path: Path) -> None:
    tokenizer = llama_tokenizer(TEXTS)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path)
    GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2)).save_pretrained(tmp_path)
    for task in (GENERATION, CLASSIFICATION):
        found = loaded(str(tmp_path), task)
        assert found.tokenizer.pad_token == "</s>"
        assert found.model.config.pad_token_id == found.tokenizer.eos_token_id


def test_a_bare_body_gets_the_head_of_the_task(tmp_path: Path) -> None:
    tokenizer = bert_tokenizer(TEXTS)
    tokenizer.save_pretrained(tmp_path)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(tmp_path)
    assert [code for code, _ in loaded(str(tmp_path), CLASSIFICATION).notices] == ["model.new-head"]
    assert [code for code, _ in loaded(str(tmp_path), GENERATION).notices] == ["model.encoder", "model.new-head"]


def test_an_architecture_without_the_head_is_named(tmp_path: Path) -> None:
    llama_tokenizer(TEXTS).save_pretrained(tmp_path)
    T5ForConditionalGeneration(
        T5Config(vocab_size=300, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    ).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="architecture t5, which has no head for text-generation") as error:
        loaded(str(tmp_path), GENERATION)
    assert error.value.field == "task"


def test_a_hub_model_is_fetched_once_without_what_is_not_needed(
    tiny_bert: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (model / "pytorch_model.bin").write_bytes(b"pickle")
    with fake_hub(monkeypatch, models={"ann/once": model}) as asked:
        check("ann/once", CLASSIFICATION)
        assert asked == []
        first = loaded("ann/once", CLASSIFICATION)
        assert any(line.endswith("model.safetensors") for line in asked)
        assert not any(line.endswith(".bin") for line in asked)
        asked.clear()
        again = loaded("ann/once", CLASSIFICATION)
        assert asked == []
    assert torch.equal(first.model.classifier.weight, again.model.classifier.weight)
    assert capfd.readouterr() == ("", "")


def test_a_download_that_was_cut_off_goes_on(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_hub(monkeypatch, models={"ann/half": model}) as asked:
        loaded("ann/half", CLASSIFICATION)
        from engine.models.hub_model import cached

        folder = cached("ann/half")
        assert folder is not None
        (folder / "model.safetensors").unlink()
        asked.clear()
        loaded("ann/half", CLASSIFICATION)
        assert asked


def test_what_the_hub_has_not_or_only_as_pickle_is_named_before_any_download(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(model, "model.safetensors", "pytorch_model.bin")
    with fake_hub(monkeypatch, models={"ann/pickle": model}) as asked:
        for name, code in {"ann/none": "model.unknown", "ann/pickle": "model.other-weights"}.items():
            with pytest.raises(ConfigError) as error:
                loaded(name, CLASSIFICATION)
            assert (error.value.code, error.value.field) == (code, "model")
        assert not [line for line in asked if "resolve" in line]


def test_a_hub_that_does_not_answer_is_given_up_on_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        point_at(monkeypatch, f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr(hub, "PATIENCE", 0.2)
        with pytest.raises(ConfigError, match="the Hub can't be reached") as error:
            loaded("ann/silent", GENERATION)
    assert (error.value.code, error.value.field) == ("model.unreachable", "model")


def test_a_name_that_takes_for_ever_to_look_up_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(monkeypatch, "http://127.0.0.1:9")
    monkeypatch.setattr(hub, "PATIENCE", -0.9)
    monkeypatch.setattr(hub, "_ask", lambda name, room: time.sleep(3) or [])
    began = time.monotonic()
    with pytest.raises(ConfigError, match="no answer within"):
        loaded("ann/slow", GENERATION)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("name", ["~nosuchuser/model", "/" + "x" * 5000])
def test_a_name_that_can_be_no_folder_is_told(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check(name, "text-generation")
    assert (caught.value.code, caught.value.field) == ("model.no-folder", "model")
