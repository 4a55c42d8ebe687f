"""What the Compare view asks the program for: runs side by side, and runs that could be chosen."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from fastapi import Response

from engine import ALIVE, Run, Store, StoreError, compare_runs
from gui.answers import Asked, ServerFunction, answer
from gui.history import CALLED, STATES

MOST_OFFERED = 30
MOST_LOSS = 1e30
METRICS: tuple[Literal["loss", "eval_loss"], ...] = ("loss", "eval_loss")
OFFERED = ("id", "name", "title", "state", "config", "plan", "update", "loss", "eval_loss")


def server_functions(store: Store) -> list[ServerFunction]:
    def compare(request: Any) -> Response:
        """`{runs, metric, below, mark}` → as `compare_runs`, with its `mark` and whether a run is `alive`.

        Where nothing has changed since the answer of that `mark`, the mark alone.
        """
        return answer(lambda: _compared(store, Asked(request)))

    def comparable(request: Any) -> Response:
        """`{search}` → `{runs, any}`: the newest runs that match, finished ones first; whether there are any at all."""
        return answer(lambda: _offered(store, Asked(request)))

    return [compare, comparable]


def _compared(store: Store, asked: Asked) -> dict[str, Any]:
    runs, bound = _numbers(asked.plain("runs")), _bound(asked.plain("below"))
    metric = next((known for known in METRICS if known == asked.text("metric")), METRICS[0])
    here = [(run.id, run.state, run.update, run.eval_loss, run.seconds) for run in map(store.run, runs)]
    mark = hashlib.sha256(repr([here, metric, bound]).encode()).hexdigest()[:16]
    alive = any(state in ALIVE for _, state, *_ in here)
    if mark == asked.text("mark"):
        return {"mark": mark, "alive": alive}
    return {**compare_runs(store, runs, metric=metric, below=bound), "mark": mark, "alive": alive}


def _numbers(given: Any) -> list[int]:
    """The runs that are asked for. Raises StoreError: there are none, or something else stands there."""
    if not isinstance(given, list) or not all(type(each) is int and 0 <= each < 2**53 for each in given):
        raise StoreError("compare.none")
    return given[:100]


def _bound(given: Any) -> float | None:
    """The loss to be reached; what is no number of a usual size asks for none."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if number and abs(given) < MOST_LOSS else None


def _offered(store: Store, asked: Asked) -> dict[str, Any]:
    search = asked.text("search")
    found: list[Run] = store.history(search, limit=MOST_OFFERED, states=STATES, called=CALLED)["runs"]
    begun = sorted((run for run in found if run.state != "queued"), key=lambda run: run.state != "finished")
    offered = [{name: getattr(run, name) for name in OFFERED} for run in begun]
    return {"runs": offered, "any": bool(offered) or store.history(limit=0)["total"] > 0}
