"""Exact from the rooms up: built-in models on built-in data, as a run loads them."""

from pathlib import Path
from typing import Any

import pytest
import torch

from engine import datasets, models
from engine.config import DataConfig
from engine.events import UpdateDone
from engine.tasks import TASKS
from engine.trainer import CountingCollator
from tests.engine.tiny import Trained, gradient, relative_error

CASES = [
    ("tiny-llama", "text-generation", "python-docs"),
    ("tiny-llama", "text-classification", "sentiment"),
    ("tiny-bert", "text-classification", "sentiment"),
    ("minilm", "text-classification", "stdlib-docstrings"),
    pytest.param("smollm2", "text-generation", "python-docs", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("model", "task", "data"), CASES)
def test_a_window_s_gradient_is_that_of_one_large_batch(model: str, task: str, data: str, tmp_path: Path) -> None:
    rows = datasets.load(DataConfig(name=data), task, seed=0, cache=tmp_path)

    def load() -> Any:
        texts = [row["text"] for row in rows.train[:200]]
        loaded = models.load(model, task, labels=rows.labels, texts=texts, seed=0, cache=tmp_path)
        for module in loaded.model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        return loaded

    loaded = load()
    encoded = list(TASKS[task].encode(rows.train[:8], loaded.tokenizer, 48))
    collate = TASKS[task].collator(loaded.tokenizer)
    loaded.model.train()
    batch = collate(encoded)
    loaded.model(**batch).loss.backward()
    right = gradient(loaded.model)
    run = Trained(load().model, encoded, tmp_path, micro_batch=2, steps=4)
    run.trainer.data_collator = CountingCollator(collate, shifts=task == "text-generation")
    run.trainer.train()
    [update] = run.of(UpdateDone)
    assert relative_error(run.recorder.gradients[0], right) < 1e-5
    assert update.targets == (8 if task == "text-classification" else int((batch["labels"][:, 1:] != -100).sum()))
