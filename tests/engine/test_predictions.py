"""Predictions come from a process of their own, answer at once, and outlive their child."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from engine.answering import questions
from engine.config import RunConfig
from engine.memory import service
from engine.memory.account import Account
from engine.memory.answering import Reckoner, answered
from engine.memory.sampler import MemoryReader
from engine.memory.service import Predictions

CONFIG = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "python-docs", "max_length": 64},
    "training": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2},
}


def config(**changes: Any) -> RunConfig:
    return RunConfig.from_dict({**CONFIG, **changes})


@pytest.fixture
def predictions(tmp_path: Path) -> Iterator[Predictions]:
    service = Predictions(tmp_path)
    yield service
    service.close()


def once_done(ask: Any, timeout: float = 120) -> dict[str, Any]:
    deadline = time.monotonic() + timeout
    while (found := ask())["state"] == "working" and time.monotonic() < deadline:
        time.sleep(0.05)
    return found  # type: ignore[no-any-return]


@pytest.mark.slow
def test_a_prediction_is_worked_at_and_then_known_to_all(predictions: Predictions) -> None:
    began = time.monotonic()
    assert predictions.predict(config(), (1, 8))["state"] == "working"
    assert time.monotonic() - began < 2
    found = once_done(lambda: predictions.predict(config(), (1, 8)))
    account = found["account"]
    assert isinstance(account, Account) and not account.measured
    assert sum(account.parts.values()) == account.peak_bytes
    assert [(point["micro_batch"], point["steps"]) for point in found["curve"]] == [(1, 8), (8, 1)]
    assert found["curve"][0]["peak_bytes"] < account.peak_bytes < found["curve"][1]["peak_bytes"]
    assert found["device"] == "cpu" and found["capacity_bytes"] == psutil.virtual_memory().total
    # what a window's memory does not depend on is no new question
    faster = config(training={**CONFIG["training"], "learning_rate": 0.1})
    assert predictions.predict(faster, (1, 8))["state"] == "done"

    fitted = once_done(lambda: predictions.fit(config(), 64, account.peak_bytes + 2**20))
    assert fitted["choice"]["micro_batch"] == 4 and fitted["choice"]["steps"] == 16
    assert fitted["choice"]["peak_bytes"] <= account.peak_bytes + 2**20

    # what it takes is not the memory of a run
    [child] = psutil.Process().children()
    resident = MemoryReader(torch.device("cpu")).read().resident
    assert resident < psutil.Process().memory_info().rss + child.memory_info().rss / 2
    budgeted = once_done(lambda: predictions.predict(config(memory_budget="1GiB")))
    assert budgeted["capacity_bytes"] == 2**30

    # a child that is gone is told once, and is there again
    child.kill()
    again = once_done(lambda: predictions.predict(config(data={"name": "python-docs", "max_length": 32})))
    assert again["code"] == "memory.no-answer"
    again = once_done(lambda: predictions.predict(config(data={"name": "python-docs", "max_length": 32})))
    assert again["account"].length == 32 and again["account"].peak_bytes < account.peak_bytes
    predictions.close()
    assert psutil.Process().children() == []
    assert predictions.predict(config())["state"] == "working"


def test_a_process_that_hangs_is_ended_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = [sys.executable, "-c", "import sys; sys.stdin.readline(); import time; time.sleep(600)"]
    real = subprocess.Popen
    monkeypatch.setattr(questions.subprocess, "Popen", lambda command, **options: real(waits, **options))
    monkeypatch.setattr(service, "MOST_SECONDS", 1.0)
    predictions = Predictions(tmp_path)
    assert once_done(lambda: predictions.predict(config()), timeout=30)["code"] == "memory.no-answer"
    predictions.close()


def test_a_fault_is_an_answer_in_words(tmp_path: Path) -> None:
    reckoner = Reckoner(tmp_path)
    for model, code in (("no/such-model", "model.offline"), ("tiny-lama", "model.misspelt")):
        question = {"config": {**CONFIG, "model": model}, "device": None, "micro_batches": []}
        found = answered(reckoner, question)
        assert found["state"] == "failed" and found["message"] and json.dumps(found)
        assert found["code"] == code


@pytest.mark.slow
def test_the_last_model_is_kept_for_the_next_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reckoner = Reckoner(tmp_path)
    question = {"config": config().to_dict(), "device": "cpu", "micro_batches": [2]}
    first = reckoner.answer(question)
    kept = reckoner._predictor
    larger = config(training={"per_device_train_batch_size": 16, "gradient_accumulation_steps": 2})
    second = reckoner.answer({**question, "config": larger.to_dict()})
    assert reckoner._predictor is kept
    assert second["account"]["peak_bytes"] > first["account"]["peak_bytes"]
    reckoner.answer({**question, "config": config(data={"name": "python-docs", "max_length": 32}).to_dict()})
    assert reckoner._predictor is not kept
