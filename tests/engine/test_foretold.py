"""A run under way is told what its window was predicted to take, and again when its dealing has changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from engine.accumulation import Plan
from engine.config import RunConfig
from engine.events import RunPlanned
from engine.session.predicting import Foretold
from tests.engine.store_runs import open_store

CONFIG = RunConfig.from_dict(
    {
        "model": "tiny-llama",
        "task": "text-generation",
        "data": {"name": "sums"},
        "training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4},
    }
)


class Guesses:
    """Works at each question once, and then knows: a thousand bytes a row."""

    def __init__(self, state: str = "done") -> None:
        self.state = state
        self.asked: list[tuple[int, int | None]] = []

    def predict(self, config: RunConfig, *, device: str) -> dict[str, Any]:
        question = (config.micro_batch, config.micro_batch_tokens)
        self.asked.append(question)
        if self.asked.count(question) == 1:
            return {"state": "working"}
        if self.state == "failed":
            return {"state": "failed", "code": "memory.cannot-predict"}
        return {"state": "done", "account": SimpleNamespace(peak_bytes=1000 * config.micro_batch)}


def until(there: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not there() and time.monotonic() < deadline:
        time.sleep(0.02)
    return there()


def test_the_prediction_joins_the_facts_and_follows_the_dealing(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = store.create_run(CONFIG.to_dict())
        plan = Plan.of(CONFIG, 320)
        store.write(RunPlanned(run=run, plan=plan.to_dict(), facts={"device": "CPU", "predicted_bytes": None}))

        def facts() -> dict[str, Any]:
            store.flush()
            return store.run(run).facts or {}

        guesses = Guesses()
        with Foretold(run, CONFIG, store, guesses, "cpu") as foretold:  # type: ignore[arg-type]
            assert until(lambda: facts().get("predicted_bytes") == 8000)
            assert facts()["device"] == "CPU"
            foretold.dealt(plan.dealt_in(4))
            assert until(lambda: facts().get("predicted_bytes") == 4000)
        assert guesses.asked == [(8, None), (8, None), (4, None), (4, None)]


def test_what_can_t_be_predicted_is_asked_no_more_and_writes_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = store.create_run(CONFIG.to_dict())
        guesses = Guesses("failed")
        with Foretold(run, CONFIG, store, guesses, "cpu"):  # type: ignore[arg-type]
            assert until(lambda: len(guesses.asked) == 2)
            time.sleep(0.7)
        assert len(guesses.asked) == 2
        store.flush()
        assert "predicted_bytes" not in (store.run(run).facts or {})
