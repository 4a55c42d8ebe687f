"""A run as a Python script, or as a notebook, that needs no Birikim; beside it the rows and the initial weights."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.export.script import notebook
from engine.export.script.cells import cells, heading
from engine.export.script.recipe import Recipe, one_by_one, recipe
from engine.models.names import Kind, kind_of
from engine.store import Run, Store

INITIAL = "initial"


def write_script(store: Store, run: Run, folder: Path, *, own_code: bool) -> Path:
    """Fills `folder` with `train.py` and what it reads. Raises as `recipe`."""
    made = _prepared(store, run, folder, own_code=own_code)
    parts = cells(made, initial=INITIAL, hub=_fill(made, folder), notebook=False)
    head = '"""' + heading(made).replace('"""', "'''").replace("\\", "\\\\") + '\n"""'
    code = [f"# {part.text}\n\n{part.code}" for part in parts[1:]]
    path = folder / "train.py"
    path.write_text("\n\n\n".join([f"{head}\n\n{parts[0].code}", *code]) + "\n", encoding="utf-8")
    return path


def write_notebook(store: Store, run: Run, folder: Path, *, own_code: bool) -> Path:
    """Fills `folder` with `train.ipynb` and what it reads. Raises as `recipe`."""
    made = _prepared(store, run, folder, own_code=own_code)
    parts = cells(made, initial=INITIAL, hub=_fill(made, folder), notebook=True)
    path = folder / "train.ipynb"
    path.write_text(notebook.text(heading(made), parts), encoding="utf-8")
    return path


def _prepared(store: Store, run: Run, folder: Path, *, own_code: bool) -> Recipe:
    made = recipe(store, run, folder, own_code=own_code)
    folder.mkdir(parents=True, exist_ok=True)
    return made


def _fill(made: Recipe, folder: Path) -> str | None:
    """Writes what a script reads; returns the name that weights are to be loaded by, where they are not written."""
    _write_rows(folder / "rows.jsonl", made.prepared.train)
    if made.evaluates:
        _write_rows(folder / "evaluation.jsonl", made.prepared.evaluation)
    (folder / "losses.json").write_text(json.dumps(made.losses), encoding="utf-8")
    (folder / "requirements.txt").write_text(_requirements(made), encoding="utf-8")
    (folder / "run.yaml").write_text(made.config.to_yaml(), encoding="utf-8")
    for module, (path, _) in made.own.items():
        shutil.copyfile(path, folder / f"{module}.py")
    return _write_model(made, folder / INITIAL)


def _requirements(made: Recipe) -> str:
    names = ["torch", "transformers", "accelerate", *(["peft"] if made.config.lora else [])]
    # a build's own mark, such as +cpu, is of no package index
    return "".join(f"{name}=={version(name).partition('+')[0]}\n" for name in names)


def _write_rows(path: Path, rows: Any) -> None:
    with path.open("w", encoding="utf-8") as lines:
        for row in one_by_one(rows):
            lines.write(json.dumps({name: row[name] for name in row if name != "attention_mask"}) + "\n")


def _write_model(made: Recipe, folder: Path) -> str | None:
    """The initial model: all of it, but for weights that a Hub id names and nothing was added to."""
    name, loaded = made.config.model, made.prepared.loaded
    model = made.prepared.trainer.model
    folder.mkdir(parents=True, exist_ok=True)
    loaded.tokenizer.save_pretrained(folder)
    if made.config.lora:
        from engine.models.lora import take_off

        model = take_off(model, folder / "adapter")
    if kind_of(name) is Kind.HUB and not loaded.new:
        model.config.save_pretrained(folder)
        return name
    model.save_pretrained(folder)
    return None
