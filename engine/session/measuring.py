"""Real windows under a ledger in the background thread, in turn with the runs: the device is one run's at a time."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.config import MemoryRequest
from engine.events import ResultGrew, StateChanged
from engine.memory.exhausted import OutOfMemory, is_out_of_memory, let_go
from engine.memory.measure import measure
from engine.memory.release import release
from engine.session.work import Work
from engine.trainer import Progress, prepare


class Measuring(Work):
    """Measures one window of each plan that was asked for; a plan that does not fit is a result too."""

    def do(self) -> StateChanged:
        request = MemoryRequest.from_dict(self.run.request or {})
        accounts: list[dict[str, Any]] = []
        errors: list[dict[str, Any]] = []
        # what it makes on the way is nobody's to keep
        with TemporaryDirectory() as folder:
            prepared = prepare(
                self.config,
                cache=self.store.home / "cache",
                folder=Path(folder),
                enter=lambda stage: self.enter("loading", stage),
                check=self.control.check,
                run=self.run.id,
                emit=lambda event: None,
                progress=Progress(),
            )
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
