"""What a config's first window counts, in the background thread, in turn with the runs; nothing is trained."""

from __future__ import annotations

from engine.events import ResultGrew, StateChanged
from engine.proof.counting import counted
from engine.session.aside import Aside


class Counting(Aside):
    """Loads what the config names, and counts."""

    def do(self) -> StateChanged:
        with self._prepared() as prepared:
            self.enter("running", "counting")
            self.emit(ResultGrew(run=self.run.id, values=counted(prepared)))
        return StateChanged(run=self.run.id, state="finished", code="count.finished")
