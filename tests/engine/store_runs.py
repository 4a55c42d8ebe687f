"""A fake trainer: writes what a run would say, without training.

with open_store(tmp_path) as store:
    run = store.create_run({"model": "tiny-bert"})
    store.write(StateChanged(run=run, state="running"))
    store.write(update(run, 1, loss=0.5))
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.events import (
    EvaluationDone,
    MemorySample,
    MicroBatchDone,
    MicroBatchSeen,
    StateChanged,
    UpdateDone,
    WindowReplayed,
    WindowSeen,
)
from engine.store import Store
from engine.store.schema import SUMMARIES


@contextmanager
def open_store(home: Path) -> Iterator[Store]:
    store = Store(home)
    try:
        yield store
    finally:
        store.close()


def back_to_format_4(db: sqlite3.Connection) -> None:
    """Makes a home's file as Birikim wrote it before it knew titles, tags, notes, a bin and tokens."""
    db.execute("DROP VIEW summaries")
    for index in ("listed", "deleted", "tagged", "named"):
        db.execute(f"DROP INDEX runs_{index}")
    for column in ("title", "tags", "notes", "deleted"):
        db.execute(f"ALTER TABLE runs DROP COLUMN {column}")
    db.execute("ALTER TABLE updates DROP COLUMN total_tokens")
    db.execute(SUMMARIES)
    db.execute("PRAGMA user_version = 4")


def running(store: Store, **config: Any) -> int:
    """A run under way."""
    run = store.create_run(config)
    store.write(StateChanged(run=run, state="running", activity="training"))
    return run


def update(run: int, number: int, **values: Any) -> UpdateDone:
    """Update `number` of windows of 32 examples with 96 targets, half a second each."""
    return UpdateDone(
        **{
            "run": run,
            "update": number,
            "epoch": number / 10,
            "loss": 1 / number,
            "grad_norm": 1.0,
            "learning_rate": 1e-4,
            "examples": 32,
            "targets": 96,
            "micro_batches": 4,
            "padding": 0.25,
            "duration": 0.5,
            "seconds": number * 0.5,
            "total_examples": number * 32,
            "total_targets": number * 96,
            "memory": 1000,
            "total_tokens": number * 128,
            **values,
        }
    )


def micro_batch(run: int, window: int, index: int, of: int = 4, **values: Any) -> MicroBatchDone:
    given = {"loss": 0.5, "weight": 1 / of, "targets": 24, "examples": 8, **values}
    return MicroBatchDone(run=run, update=window, index=index, of=of, **given)


def evaluation(run: int, number: int, **values: Any) -> EvaluationDone:
    """An evaluation after update `number`."""
    return EvaluationDone(
        **{
            "run": run,
            "update": number,
            "epoch": number / 10,
            "loss": 2 / (number + 1),
            "metrics": {"accuracy": 0.5},
            "examples": 40,
            "targets": 40,
            "duration": 0.1,
            "seconds": number * 0.5,
            "total_examples": number * 32,
            "total_targets": number * 96,
            **values,
        }
    )


def sample(run: int, seconds: float, resident: int = 1000, **values: Any) -> MemorySample:
    given = {"update": seconds * 2, "total_examples": 0, "total_targets": 0, **values}
    return MemorySample(run=run, seconds=seconds, resident=resident, **given)


def seen(run: int, window: int, index: int, of: int = 4, **values: Any) -> MicroBatchSeen:
    """A micro-batch of one row of four tokens, two of them targets."""
    row = {
        "pieces": [{"text": "how are", "target": False}, {"text": " you today", "target": True}],
        "targets": 2,
        "label": None,
        "more": 0,
    }
    given = {
        "rows": [row],
        "more": 0,
        "forward_seconds": 0.25,
        "backward_seconds": 0.5,
        "forward_bytes": 2000,
        "backward_bytes": 1500,
        "norm": index / of,
        "own_norm": 1 / of,
        "layers": [{"name": "embedding", "norm": 0.0}, {"name": "layer.0", "norm": index / of}],
        **values,
    }
    return MicroBatchSeen(run=run, update=window, index=index, of=of, **given)


def window_seen(run: int, number: int, **values: Any) -> WindowSeen:
    return WindowSeen(
        **{
            "run": run,
            "update": number,
            "cosines": [0.5, 0.75, 0.875, 1.0],
            "exact": True,
            "norm": 2.0,
            "clipped": 0.5,
            "learning_rate": 1e-4,
            "update_norm": 0.125,
            "zeroed": True,
            **values,
        }
    )


def replayed(run: int, number: int, index: int = 0, **values: Any) -> WindowReplayed:
    return WindowReplayed(
        **{
            "run": run,
            "update": number,
            "index": index,
            "plan": {"rows": 4, "targets": 8, "micro_batches": [1, 1, 1, 1]},
            "large": {"loss": 0.5, "norm": 2.0, "seconds": 0.25, "peak_bytes": 4000},
            "accumulated": {"loss": 0.5, "norm": 2.0, "seconds": 0.5, "peak_bytes": 2000},
            "failure": None,
            "relative_error": 1e-7,
            "cosine": 1.0,
            "tolerance": 1e-5,
            **values,
        }
    )
