"""An exported script makes the losses of its run, without Birikim."""

from __future__ import annotations

import ast
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from engine import ConfigError, RunConfig, RunError, take_away
from engine.export.script.recipe import frozen_parts
from tests.engine.exported_runs import (
    SUMS,
    Home,
    Told,
    config,
    opened,
    same,
    same_evaluations,
    telling,
    told_alone,
)
from tests.engine.tiny import bert

LOSS = """
import torch

def summed(outputs, labels, num_items_in_batch):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), reduction="sum") / num_items_in_batch

def mean(outputs, labels):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten())
"""

TRAINER = """
from transformers import Trainer

class Doubled(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss, outputs = super().compute_loss(model, inputs, True, num_items_in_batch=num_items_in_batch)
        return (2 * loss, outputs) if return_outputs else 2 * loss
"""

EVALUATED = {"eval_strategy": "steps", "eval_steps": 2}

CASES: dict[str, dict[str, Any]] = {
    "sorted, with evaluations": {"training": EVALUATED},
    "as the rows come": {"window_order": "random"},
    "dealt by tokens": {"micro_batch_tokens": 40},
    "packed": {"packing": True},
    "packed and dealt by tokens": {"packing": True, "micro_batch_tokens": 40},
    "adapters with dropout": {"lora": {"r": 4, "alpha": 8, "dropout": 0.1}},
    "a mean of means": {"loss_normalization": "mean-of-means"},
    "the stock normalisation": {"loss_normalization": "trainer"},
    "label smoothing": {"training": {"label_smoothing_factor": 0.1, **EVALUATED}},
    "grouped by length": {"training": {"train_sampling_strategy": "group_by_length"}},
    "noisy embeddings": {"training": {"neftune_noise_alpha": 5.0, "lr_scheduler_type": "cosine", "warmup_steps": 2}},
    "data workers": {"training": {"dataloader_num_workers": 1}},
    "masked tokens": {"model": "tiny-bert", "task": "fill-mask", "training": EVALUATED},
    "classes": {
        "model": "tiny-bert",
        "task": "text-classification",
        "data": {**SUMS, "name": "reviews"},
        "training": EVALUATED,
    },
    "tags": {
        "model": "tiny-bert",
        "task": "token-classification",
        "data": {**SUMS, "name": "entities"},
        "training": EVALUATED,
    },
    "an encoder and a decoder": {"model": "tiny-t5", "task": "text2text-generation", "training": EVALUATED},
    "a pretrained encoder with dropout": {
        "model": "minilm",
        "task": "text-classification",
        "data": {"name": "stdlib-docstrings", "max_length": 48, "eval_rows": 16},
        "training": EVALUATED,
    },
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with opened(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    with telling() as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_script_makes_the_losses_of_the_run(name: str, home: Home, told: Told) -> None:
    run = home.trained(config(**CASES[name]))
    path = home.exported(run)
    lines = told(path)
    same(lines, home.losses(run))
    same_evaluations(lines, home.evaluations(run))
    assert (path.parent / "model" / "config.json").is_file() or "lora" in CASES[name]


def csv(folder: Path, lines: list[str]) -> dict[str, Any]:
    path = folder / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return {"path": str(path), "max_length": 32, "eval_rows": 2}


TEXTS = ["a", "b b", "c c c", "d d d d", "e", "f f", "g g g", "h", "i i i i i", "j", "k k", "l l l l"]


@pytest.mark.slow
@pytest.mark.parametrize("drop_last", [False, True])
def test_two_passes_with_a_short_last_window(drop_last: bool, home: Home, told: Told, tmp_path: Path) -> None:
    # 11 rows, 2 × 2: windows of 4, 4 and 3; without the short micro-batch 4, 4 and 2
    data = {**csv(tmp_path, ["text", *TEXTS]), "eval_rows": 1}
    training = {
        "gradient_accumulation_steps": 2, "max_steps": -1, "num_train_epochs": 2, "dataloader_drop_last": drop_last
    }  # fmt: skip
    run = home.trained(config(data=data, training=training))
    assert [update["examples"] for update in home.store.updates(run)] == [4, 4, 2 if drop_last else 3] * 2
    same(told(home.exported(run)), home.losses(run))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["regression", "multi_label_classification"])
def test_labels_that_are_numbers_or_several_classes(kind: str, home: Home, told: Told, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    labels: list[Any] = [index / 3 if kind == "regression" else ["x", "y"][: index % 3] for index in range(len(TEXTS))]
    path.write_text(
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(TEXTS, labels, strict=True))
    )
    data = {"path": str(path), "label": "label", "max_length": 32, "eval_rows": 2, "problem_type": kind}
    run = home.trained(
        config(model="tiny-bert", task="text-classification", data=data, training={"max_steps": 3, **EVALUATED})
    )
    lines = told(home.exported(run))
    same(lines, home.losses(run))
    same_evaluations(lines, home.evaluations(run))
    assert ("eval_mean_squared_error" in lines[2]) is (kind == "regression")


@pytest.mark.slow
def test_the_best_by_a_metric_is_what_the_script_leaves_too(home: Home, told: Told) -> None:
    best = {"load_best_model_at_end": True, "metric_for_best_model": "label_accuracy", "save_strategy": "steps"}
    training = {"eval_strategy": "steps", "eval_steps": 1, "save_steps": 1, "learning_rate": 1e-2, **best}
    data = {**SUMS, "name": "reviews"}
    run = home.trained(config(model="tiny-bert", task="text-classification", data=data, training=training))
    path = home.exported(run)
    same_evaluations(told(path), home.evaluations(run))
    theirs, ours = (
        load_file(folder / "model.safetensors")
        for folder in (path.parent / "model", home.store.home / "runs" / str(run) / "model")
    )
    assert theirs.keys() == ours.keys()
    assert all(torch.allclose(theirs[name], ours[name], rtol=1e-4, atol=1e-6) for name in ours)


@pytest.mark.slow
def test_a_run_that_chose_by_what_no_evaluation_gives_is_refused(home: Home) -> None:
    run = home.session.submit(config(training={**EVALUATED, "metric_for_best_model": "bleu"}))
    assert home.session.wait(run, 240).code == "run.no-metric"
    with pytest.raises(ConfigError) as refused:
        home.exported(run)
    assert (refused.value.code, refused.value.field) == ("export.metric", "training.metric_for_best_model")


@pytest.mark.slow
@pytest.mark.parametrize("own", ["loss: summed", "loss: mean", "trainer: Doubled"])
def test_code_of_the_user_s_own_goes_with_the_script(own: str, home: Home, told: Told, tmp_path: Path) -> None:
    key, name = own.split(": ")
    file = tmp_path / "mine.py"
    file.write_text(LOSS if key == "loss" else TRAINER)
    run = home.trained(config(**{key: f"{file}:{name}"}, training=EVALUATED))
    path = home.exported(run)
    file.unlink()
    same(told(path), home.losses(run))


@pytest.mark.slow
def test_a_run_that_was_stopped_ends_where_it_ended(home: Home, told: Told) -> None:
    run = home.session.submit(config(training={"max_steps": 400}))
    while home.store.run(run).update < 2:
        assert home.store.run(run).state != "failed"
    home.session.command(run, "stop")
    assert home.session.wait(run, 60).state == "stopped"
    lines = told(home.exported(run))
    same(lines, home.losses(run))


@pytest.mark.slow
def test_the_cells_of_the_notebook_make_the_losses_of_the_run(home: Home) -> None:
    run = home.trained(config())
    path = home.exported(run, "notebook")
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert {cell["cell_type"] for cell in notebook["cells"]} == {"markdown", "code"}
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    script = path.with_name("cells.py")
    script.write_text("\n\n".join(code))
    same(told_alone(script), home.losses(run))


@pytest.fixture(scope="module")
def plain(home: Home) -> int:
    """A run of the smallest kind, for what needs one and changes nothing of it."""
    return home.trained(config(training={"max_steps": 2}))


@pytest.mark.slow
def test_the_script_is_one_that_a_person_can_read(home: Home, plain: int) -> None:
    path = home.exported(plain)
    tree = ast.parse(path.read_text())
    modules = {
        (each.module if isinstance(each, ast.ImportFrom) else each.names[0].name)
        for each in ast.walk(tree)
        if isinstance(each, ast.Import | ast.ImportFrom)
    }
    assert {str(module).split(".")[0] for module in modules} <= {"json", "os", "pathlib", "torch", "transformers"}
    rules = ["--isolated", "--select", "E,F,I,B,W", "--ignore", "E402,B905", "--line-length", "120"]
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *rules, str(path)], capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stdout
    assert path.read_text().count("\n") < 250


@pytest.mark.slow
def test_the_script_of_several_processes_is_one_that_does_the_work_of_all(home: Home, told: Told) -> None:
    # as two processes of 2 × 2 rows, which add up to the same windows as one of 2 × 4
    run = home.trained(config())
    shared = config(training={"gradient_accumulation_steps": 2}, launch={"processes": 2}).to_dict()
    plan = {**(home.store.run(run).plan or {}), "processes": 2, "accumulation_steps": 2}
    with closing(sqlite3.connect(home.store.home / "birikim.sqlite")) as store, store:
        store.execute("UPDATE runs SET config = ?, plan = ? WHERE id = ?", (json.dumps(shared), json.dumps(plan), run))
        # how each of them dealt its share is another matter
        store.execute("UPDATE updates SET micro_batches = 5 WHERE run = ?", (run,))
    path = home.exported(run)
    text = path.read_text()
    assert "The run had 2 processes." in text and "STEPS = 4 " in text
    same(told(path), home.losses(run))
    refused = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        capture_output=True, text=True, env={**os.environ, "WORLD_SIZE": "2"}, timeout=120,
    )  # fmt: skip
    assert refused.returncode == 1 and "the work of all 2 processes" in refused.stderr


@pytest.mark.slow
def test_another_export_takes_the_place_of_the_first_and_a_folder_of_one_s_own_keeps_what_it_holds(
    home: Home, plain: int, tmp_path: Path
) -> None:
    assert home.exported(plain) == home.exported(plain)
    (tmp_path / "notes.txt").write_text("mine")
    assert home.exported(plain, to=tmp_path) == tmp_path / "train.py"
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_data_that_have_changed_since_are_noticed(home: Home, tmp_path: Path) -> None:
    data = csv(tmp_path, ["text", *TEXTS])
    run = home.trained(config(data=data, training={"max_steps": 1}))
    csv(tmp_path, ["text", *(f"{text} more" for text in TEXTS)])
    with pytest.raises(RunError) as refused:
        home.exported(run)
    assert refused.value.code == "export.other-windows"


@pytest.mark.slow
def test_what_a_script_cant_do_is_refused_by_its_field(home: Home) -> None:
    training = {"eval_strategy": "steps", "eval_steps": 1, "dataloader_drop_last": True, "max_steps": 1}
    run = home.trained(config(training=training))
    with pytest.raises(ConfigError) as refused:
        home.exported(run)
    assert refused.value.field == "training.dataloader_drop_last"


def test_frozen_parts_are_told_by_the_largest_part_that_holds_no_trained_weight() -> None:
    model = bert()
    for weight in model.bert.encoder.parameters():
        weight.requires_grad_(False)
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    # the bias alone is frozen: its layer trains on
    model.classifier.bias.requires_grad_(False)
    assert frozen_parts(model) == ["bert.embeddings.word_embeddings.", "bert.encoder.", "classifier.bias"]


def test_nothing_is_reproduced_of_a_run_that_made_no_update(tmp_path: Path) -> None:
    with opened(tmp_path) as home:
        run = home.store.create_run(
            RunConfig.from_dict({"model": "tiny-llama", "task": "text-generation", "data": SUMS}).to_dict()
        )
        with pytest.raises(RunError) as refused:
            home.exported(run)
        assert refused.value.code in ("export.alive", "export.no-updates")
        home.session.command(run, "stop")


@pytest.mark.slow
def test_code_of_the_user_s_own_is_run_for_the_command_line_alone(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LOSS)
    run = home.trained(config(loss=f"{file}:summed", training={"max_steps": 1}))
    with pytest.raises(ConfigError) as refused:
        take_away(home.store, run, "script")
    assert (refused.value.code, refused.value.field) == ("export.own-code", "loss")


@pytest.mark.slow
def test_a_run_that_went_on_with_another_length_has_a_script_where_its_schedule_is_one(home: Home, told: Told) -> None:
    saving = {"save_strategy": "steps", "save_steps": 2, "max_steps": 3}
    for kind in ("linear", "constant"):
        training = {**saving, "lr_scheduler_type": kind}
        run = home.trained(config(training=training))
        home.session.resume(run, config(training={**training, "max_steps": 6}), 2)
        assert home.session.wait(run, 120).state == "finished"
        if kind == "constant":
            same(told(home.exported(run)), home.losses(run))
            continue
        with pytest.raises(RunError) as refused:
            home.exported(run)
        # of 6 updates the second is made at 5 / 6 of the rate, of 3 at 2 / 3
        assert refused.value.code == "export.other-schedule" and refused.value.values["update"] == 2
