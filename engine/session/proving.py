"""A proof in the background thread, in turn with the runs: two models at once would share random state."""

from __future__ import annotations

from typing import Any

from engine.config import ProofRequest
from engine.events import ResultGrew, StateChanged
from engine.proof import BatchPlan, Bench, Curve, Proof, prove, side_by_side, verdict
from engine.session.aside import Aside


class Proving(Aside):
    """Proves the window of a config, and trains its plans side by side where that was asked for."""

    def do(self) -> StateChanged:
        request = ProofRequest.from_dict(self.run.request or {})
        plans = request.plans_for(self.config)
        with self._on_bench(precision=request.precision) as bench:
            for code, values in bench.prepared.notices:
                self.notice(code, **values)
            self._go(bench, plans, request.updates)
        return StateChanged(run=self.run.id, state="finished", code="proof.finished")

    def _go(self, bench: Bench, plans: list[BatchPlan], updates: int) -> None:
        self.enter("running", "proving")
        result: dict[str, Any] = {"plans": [list(plan) for plan in plans], "curves": []}

        def grew(proof: Proof) -> None:
            said = [{"code": code, "values": values} for code, values in verdict(proof)]
            result.update(proof=proof.to_dict(), verdict=said)
            self.emit(ResultGrew(run=self.run.id, values=result))

        prove(bench, plans, tell=grew, check=self.control.check)
        if not updates:
            return
        self.enter("running", "training")
        # the large batch first: it is what the others are measured by
        order = sorted(plans, key=lambda plan: -plan[0])
        curves: dict[tuple[BatchPlan, str], Curve] = {}

        def drawn(curve: Curve) -> None:
            curves[curve.plan, curve.normalization] = curve
            first = next(iter(curves.values()))
            result["curves"] = [_told(each, first) for each in curves.values()]
            self.emit(ResultGrew(run=self.run.id, values=result))

        wanted: list[Any] = [(plan, self.config.loss_normalization) for plan in order]
        if self.config.loss_normalization == "exact" and not bench.trainer.documented:
            wanted += [(plans[0], "mean-of-means"), (plans[0], "trainer")]
        side_by_side(bench, wanted, updates, tell=drawn, check=self.control.check)


def _told(curve: Curve, first: Curve) -> dict[str, Any]:
    return {
        "plan": list(curve.plan),
        "normalization": curve.normalization,
        "losses": list(curve.losses),
        "apart": curve.apart(first),
    }
