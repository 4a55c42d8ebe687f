"""What the player asks the program for: what of a run was watched, micro-batch by micro-batch."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import Store, StoreError
from gui.answers import Asked, ServerFunction, answer

OF_MICRO_BATCH = ("update", "index", "of", "loss", "weight", "targets", "examples")


def server_functions(store: Store) -> list[ServerFunction]:
    def watched(request: Any) -> Response:
        """`{run, after}` → what `Store.watched` gives, and `told`: the losses and weights of its windows."""
        return answer(lambda: _watched(store, Asked(request)))

    return [watched]


def _watched(store: Store, asked: Asked) -> dict[str, Any]:
    run = asked.number("run")
    if run is None:
        raise StoreError("store.no-run", run=None)
    found = store.watched(run, asked.number("after") or 0)
    windows = sorted({each["update"] for part in ("micro_batches", "windows") for each in found[part]})
    rows = [row for update in windows for row in store.micro_batches(run, update)]
    return {**found, "told": [{name: row[name] for name in OF_MICRO_BATCH} for row in rows]}
