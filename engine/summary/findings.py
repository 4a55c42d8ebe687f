"""What came of a run, in numbers: for a report and for a model card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.config import RunConfig
from engine.store import Run, Store

POINTS = 2000
"""A curve holds about as many; all extremes are among them."""


@dataclass(frozen=True)
class Findings:
    """`series` are columns as `Store.read` gives them, thinned; `updates` are all of them."""

    run: Run
    config: RunConfig
    series: dict[str, Any]
    updates: list[dict[str, Any]]
    evaluations: list[dict[str, Any]]
    notices: list[dict[str, Any]]

    @classmethod
    def of(cls, store: Store, run: Run) -> Findings:
        return cls(
            run,
            RunConfig.from_dict(run.config),
            store.read(run.id, points=POINTS),
            store.updates(run.id),
            store.evaluations(run.id),
            store.notices(run.id),
        )

    @property
    def way(self) -> str:
        """How the gradient was normalised: of a loss of the user's own, by that."""
        own = self.config.loss is not None or self.config.trainer is not None
        return "own" if own and self.config.loss_normalization == "exact" else self.config.loss_normalization

    @property
    def mean_loss(self) -> float | None:
        losses = [update["loss"] for update in self.updates if update["loss"] is not None]
        return sum(losses) / len(losses) if losses else None

    @property
    def targets_a_second(self) -> float | None:
        took = sum(update["duration"] for update in self.updates)
        return self.run.total_targets / took if took > 0 else None

    @property
    def highest_memory(self) -> int | None:
        return max((update["memory"] for update in self.updates if update["memory"]), default=None)

    @property
    def padding(self) -> float | None:
        return sum(update["padding"] for update in self.updates) / len(self.updates) if self.updates else None


def size(value: float) -> str:
    """Bytes in words."""
    return f"{value / 2**30:.2f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole // 60 % 60} min"
