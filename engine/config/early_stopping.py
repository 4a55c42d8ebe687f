"""When a run ends before its last update."""

from __future__ import annotations

from pydantic import Field

from engine.config.part import Part, WholeNumber


class EarlyStopping(Part):
    """Ends a run after `patience` evaluations in a row that better the best one by no more than `threshold`.

    What is compared is `training.metric_for_best_model`, the evaluation loss unless set.
    """

    patience: WholeNumber = Field(default=3, ge=1, le=10**6)
    threshold: float = Field(default=0.0, ge=0, le=1e30)
