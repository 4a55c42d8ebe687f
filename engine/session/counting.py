"""What a config's first window counts, in the background thread, in turn with the runs; nothing is trained."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from engine.events import ResultGrew, StateChanged
from engine.proof.counting import counted
from engine.session.work import Work
from engine.trainer import Progress, prepare


class Counting(Work):
    """Loads what the config names, and counts."""

    def do(self) -> StateChanged:
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
            self.enter("running", "counting")
            self.emit(ResultGrew(run=self.run.id, values=counted(prepared)))
        return StateChanged(run=self.run.id, state="finished", code="count.finished")
