"""Runs that have told of everything, for the tests of their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.config import RunConfig
from engine.errors import BirikimError
from engine.events import Notice, RunPlanned, SampleTaken, StateChanged, WindowSkipped
from engine.store import Store
from engine.store.schema import connect
from tests.engine.store_runs import (
    evaluation,
    micro_batch,
    replayed,
    running,
    sample,
    seen,
    update,
    window_seen,
)

CONFIG = RunConfig.default().to_dict()
PLAN = {
    "micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 320, "updates_total": 500,
    "effective_batch": 32, "window": None, "drop_last": False, "epochs": 50.0,
}  # fmt: skip


def told(store: Store, updates: int = 500, **named: Any) -> int:
    """A run that has told something for every table, more of some than a page draws at once."""
    run = running(store, **CONFIG)
    store.write(RunPlanned(run=run, plan=PLAN, facts={"device": "CPU", "versions": {"torch": "2.13.0"}}))
    for number in range(1, updates + 1):
        for index in range(1, 5):
            store.write(micro_batch(run, number, index, loss=None if index == 2 else 1 / number))
        store.write(update(run, number, loss=(number * 7919 % 97) / 7, grad_norm=float("nan"), memory=None))
        store.write(sample(run, number / 2, resident=10**9 + number * 37 % 911, allocated=number))
    for number in range(10, updates + 1, 10):
        store.write(evaluation(run, number, metrics={"accuracy": number / 1000, "perplexity": float("inf")}))
    for index in range(1, 5):
        store.write(seen(run, updates, index))
    store.write(replayed(run, updates))
    store.write(window_seen(run, updates))
    for kind, wanted, got in (("text", None, "ğ"), ("tags", ["O"], ["B-PER"]), ("number", 1.0, 2.5)):
        at = {"text": 1, "tags": 2, "number": 3}[kind]
        store.write(
            SampleTaken(
                run=run, update=0, index=at, kind=kind, given="words", wanted=wanted, got=got, right=[False],  # type: ignore[arg-type]
                scores=[{"name": "a", "score": 0.5}],
            )
        )  # fmt: skip
    store.write(Notice(run=run, code="run.report-failed", message="why", values={"name": "x", "reason": "y"}))
    store.write(WindowSkipped(run=run, after=updates, examples=32))
    store.write(StateChanged(run=run, state="failed", code="x", message="why", remedy="how", values={"a": 1}))
    store.flush()
    store.annotate(run, title="Name", tags=["one", "İki"], notes="line\nline")
    for name, value in named.items():
        db = connect(store.home / "birikim.sqlite")
        db.execute(f"UPDATE runs SET {name} = ? WHERE id = ?", (value, run))
        db.close()
    return run


def held(store: Store, run: int) -> dict[str, Any]:
    """All that is held of a run, and how its curves are thinned."""
    with store.whole(run) as (head, tables):
        found = {"head": head, **{name: list(rows) for name, rows in tables.items()}}
    read = store.read(run, points=200)
    return {**found, "thinned": {name: read[name] for name in ("updates", "evaluations", "memory", "window")}}


def code_of(call: Callable[..., Any], *values: Any) -> str:
    with pytest.raises(BirikimError) as refused:
        call(*values)
    assert str(refused.value.line)
    return refused.value.code
