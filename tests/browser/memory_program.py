"""The program with a session whose memory is made up: predictions and measurements at once, and never a real one.

python -m tests.browser.memory_program --home DIR
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import engine
from engine import RunConfig, RunError, Store, check
from engine.config import MemoryRequest
from engine.events import ResultGrew, StateChanged
from engine.session import session as sessions
from engine.session.control import Control
from engine.session.failure import failed
from engine.store import Run
from gui import launch
from tests.browser.accounts import Told, account, peak_of

CAPACITY = 2**30
THINKS = 0.25
WINDOW = 0.4
FAILING = "tiny-t5"
"""A model that can't be predicted here."""
TOO_LARGE = 64
"""Rows of a micro-batch that a real window does not fit with."""

Answer = dict[str, Any]


class StandIn(sessions.Session):
    """A session that trains as any, and makes up what it knows of memory."""

    def __init__(self, store: Store, **options: Any) -> None:
        super().__init__(store, **options)
        self._asked: dict[str, float] = {}

    def predict(self, config: RunConfig, *, micro_batches: tuple[int, ...] = (), device: str | None = None) -> Answer:
        check(config)
        if config.model == FAILING:
            fault = RunError("run.unexpected", kind="NotImplementedError", problem="no fake of this model")
            told = {"message": fault.message, "remedy": "", "values": fault.values}
            return {"state": "failed", "code": fault.code, **told}
        if self._thinks([config.to_dict(), micro_batches, device]):
            return {"state": "working"}
        rows = config.micro_batch * config.accumulation_steps
        here = device or "cpu"
        return {
            "state": "done",
            "account": Told(account(config, config.micro_batch, config.accumulation_steps, device=here)),
            "curve": [peak_of(config, each, rows // each) for each in micro_batches],
            "capacity_bytes": CAPACITY,
            "device": here,
            "device_name": "CPU",
        }

    def fit(self, config: RunConfig, *, effective: int, budget_bytes: int, device: str | None = None) -> Answer:
        if self._thinks([config.to_dict(), effective, budget_bytes, device]):
            return {"state": "working"}
        fitting = [rows for rows in range(1, min(effective, 512) + 1) if _peak(config, rows) <= budget_bytes]
        exact = [rows for rows in fitting if effective % rows == 0]

        def choice(rows: int) -> Answer:
            steps = max(1, round(effective / rows))
            return {"micro_batch": rows, "steps": steps, "effective": rows * steps, "peak_bytes": _peak(config, rows)}

        return {
            "state": "done", "effective": effective, "budget_bytes": budget_bytes, "exact": bool(exact),
            "choice": choice(max(exact)) if exact else None,
            "nearest": [choice(rows) for rows in fitting[-3:] if rows > max(exact)],
            "least_bytes": _peak(config, 1),
        }  # fmt: skip

    def measure(self, config: RunConfig, request: MemoryRequest) -> int:
        check(config)
        with self._wake:
            run = self.store.create_run(config.to_dict(), kind="memory", request=request.to_dict())
            self._controls[run] = Control()
            self._wake.notify_all()
        return run

    def _thinks(self, question: Any) -> bool:
        """Whether a new question is still thought about."""
        mark = json.dumps(question, sort_keys=True)
        return time.monotonic() - self._asked.setdefault(mark, time.monotonic()) < THINKS


def _peak(config: RunConfig, rows: int) -> int:
    return int(peak_of(config, rows, 2)["peak_bytes"])


def execute(real: Callable[..., None]) -> Callable[..., None]:
    """As the engine's, but for measurements."""

    def go(run: Run, store: Store, control: Control, *others: Any) -> None:
        if run.kind != "memory":
            real(run, store, control, *others)
            return
        config, request = RunConfig.from_dict(run.config), MemoryRequest.from_dict(run.request)
        store.write(StateChanged(run=run.id, state="running", activity="training"))
        found: Answer = {"accounts": [], "errors": []}
        for rows, steps in request.plans_for(config):
            time.sleep(WINDOW)
            if control.stop_requested:
                break
            if rows >= TOO_LARGE:
                fault = failed(run.id, RunError("run.out-of-memory"))
                told = {"code": fault.code, "message": fault.message, "remedy": fault.remedy, "values": fault.values}
                found["errors"].append({"plan": [rows, steps], **told})
            else:
                found["accounts"].append(account(config, rows, steps, measured=True))
            store.write(ResultGrew(run=run.id, values=found))
            store.flush()
        state = "stopped" if control.stop_requested else "finished"
        store.write(StateChanged(run=run.id, state=state, code=f"run.{state}"))  # type: ignore[arg-type]
        store.flush()

    return go


def main(arguments: list[str]) -> None:
    engine.Session = StandIn  # type: ignore[misc]
    load = sessions._runner
    sessions._runner = lambda: execute(load())
    importlib.import_module("engine.session")
    launch.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
