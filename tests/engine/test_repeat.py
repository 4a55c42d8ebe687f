"""A seed repeats a run on one machine to the last bit: in one program, and in two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.compare import compare
from engine.config import RunConfig
from engine.session import Session
from engine.store import Store
from tests.engine.store_runs import open_store
from tests.programs import running

pytestmark = pytest.mark.slow

OF_THE_CLOCK = {"run", "duration", "seconds", "memory"}


def config(**training: Any) -> RunConfig:
    return RunConfig.from_dict(
        {
            "model": "tiny-bert",
            "task": "text-classification",
            "data": {"name": "sentiment", "max_length": 32, "eval_rows": 8},
            "training": {
                "per_device_train_batch_size": 2,
                "gradient_accumulation_steps": 4,
                "max_steps": 6,
                "learning_rate": 1e-2,
                "eval_strategy": "steps",
                "eval_steps": 3,
                **training,
            },
        }
    )


def told(store: Store, run: int) -> list[dict[str, Any]]:
    """Updates and evaluations, but for what depends on the clock."""
    rows = [*store.updates(run), *store.evaluations(run)]
    return [{name: value for name, value in row.items() if name not in OF_THE_CLOCK} for row in rows]


def weights(store: Store, run: int) -> bytes:
    return (store.home / "runs" / str(run) / "model" / "model.safetensors").read_bytes()


def test_the_same_seed_repeats_updates_evaluations_and_weights_and_another_does_not(
    session: Session, store: Store
) -> None:
    runs = [session.wait(session.submit(config(seed=seed)), 120).id for seed in (7, 7, 8)]
    first, again, other = runs
    assert told(store, first) == told(store, again)
    assert weights(store, first) == weights(store, again)
    assert told(store, first) != told(store, other)
    assert weights(store, first) != weights(store, other)
    found = compare(store, runs)
    assert {mark["code"]: mark["values"] for mark in found["marks"]}["compare.repeated"] == {"runs": "1, 2"}
    # of the two that are one draw the later counts
    assert found["groups"][0]["runs"] == [again, other]
    machine = (store.run(first).facts or {})["machine"]
    assert machine["processors"] > 0 and machine["system"]


def test_another_program_in_another_home_repeats_it_too(session: Session, store: Store, tmp_path: Path) -> None:
    here = session.wait(session.submit(config(seed=7)), 120).id
    file = tmp_path / "config.yaml"
    file.write_text(config(seed=7).to_yaml(), encoding="utf-8")
    with running("-m", "engine", "train", str(file), "--home", str(tmp_path / "other")) as program:
        assert program.wait() == 0, program.told()
    with open_store(tmp_path / "other") as other:
        assert (told(other, 1), weights(other, 1)) == (told(store, here), weights(store, here))
