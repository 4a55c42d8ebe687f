"""Predictions asked for by many and reckoned by one process of its own, so that no training and no viewer waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.answering import Answer, Questions
from engine.config import RunConfig
from engine.memory.account import Account

MOST_SECONDS = 300.0
"""For one question: the largest models take about a minute."""

NO_ANSWER = "memory.no-answer"

NO_MATTER = frozenset(
    {
        "learning_rate", "lr_scheduler_type", "max_steps", "num_train_epochs", "warmup_steps", "weight_decay", "seed",
        "data_seed", "eval_strategy", "eval_steps", "logging_steps", "save_strategy", "save_steps", "save_total_limit",
    }
)  # fmt: skip
"""Training settings that a window's memory does not depend on, and that people change often."""


class Predictions(Questions):
    """Answers at once with what is known, and has the rest reckoned in a child process, the newest question first."""

    def __init__(self, cache: Path) -> None:
        super().__init__(
            "engine.memory.answering",
            [str(cache)],
            most_seconds=MOST_SECONDS,
            no_answer=NO_ANSWER,
            keeps_failures=True,
        )

    def predict(self, config: RunConfig, micro_batches: tuple[int, ...] = (), device: str | None = None) -> Answer:
        """`account`, and of each of `micro_batches` a point of `curve`; once they are known."""
        found = self.ask({"config": _what_counts(config), "device": device, "micro_batches": list(micro_batches)})
        return {**found, "account": Account.from_dict(found["account"])} if "account" in found else found

    def fit(self, config: RunConfig, effective: int, budget_bytes: int, device: str | None = None) -> Answer:
        """What `engine.memory.fit.fit` finds, once it is known."""
        question = {"config": _what_counts(config), "device": device}
        return self.ask({**question, "effective": effective, "budget_bytes": budget_bytes})


def _what_counts(config: RunConfig) -> dict[str, Any]:
    values = config.to_dict()
    values.pop("samples", None)
    training = {key: value for key, value in values.get("training", {}).items() if key not in NO_MATTER}
    return {**values, "training": training}
