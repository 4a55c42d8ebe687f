"""The gradient noise of a config in the background thread, in turn with the runs; nothing is trained."""

from __future__ import annotations

from dataclasses import asdict

from engine.config import NoiseRequest
from engine.events import ResultGrew, StateChanged
from engine.noise import Norms, noise_scale
from engine.noise.measure import norms_of
from engine.session.aside import Aside


class Estimating(Aside):
    """Tells the estimate anew after each window."""

    def do(self) -> StateChanged:
        request = NoiseRequest.from_dict(self.run.request or {})
        with self._on_bench() as bench:
            self.enter("running", "estimating")
            found: list[Norms] = []
            for norms in norms_of(bench, request.windows, check=self.control.check):
                found.append(norms)
                values = {"micro_batch": norms.micro_batch, "examples": norms.examples, "of": request.windows}
                self.emit(ResultGrew(run=self.run.id, values={**values, **asdict(noise_scale(found))}))
        return StateChanged(run=self.run.id, state="finished", code="noise.finished")
