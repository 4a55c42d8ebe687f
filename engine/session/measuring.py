"""Real windows under a ledger in the background thread, in turn with the runs: the device is one run's at a time."""

from __future__ import annotations

from typing import Any

from engine.config import MemoryRequest
from engine.events import ResultGrew, StateChanged
from engine.memory.exhausted import OutOfMemory, is_out_of_memory, let_go
from engine.memory.measure import measure
from engine.memory.release import release
from engine.session.aside import Aside


class Measuring(Aside):
    """Measures one window of each plan that was asked for; a plan that does not fit is a result too."""

    def do(self) -> StateChanged:
        request = MemoryRequest.from_dict(self.run.request or {})
        accounts: list[dict[str, Any]] = []
        errors: list[dict[str, Any]] = []
        with self._prepared() as prepared:
            self.enter("running", "measuring")
            for micro_batch, steps in request.plans_for(self.config):
                self.control.check()
                try:
                    accounts.append(measure(prepared, micro_batch, steps, check=self.control.check).to_dict())
                except Exception as problem:
                    if not is_out_of_memory(problem):
                        raise
                    errors.append({"plan": [micro_batch, steps], **_words(OutOfMemory(problem, rows=micro_batch))})
                    let_go(problem)
                release()
                found = {"accounts": accounts, "errors": errors}
                self.emit(ResultGrew(run=self.run.id, values=found))
        return StateChanged(run=self.run.id, state="finished", code="memory.measured")


def _words(told: OutOfMemory) -> dict[str, Any]:
    return {"code": told.code, "message": told.message, "remedy": told.remedy}
