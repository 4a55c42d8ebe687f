"""Trained models tried by many, in one process of its own that stays warm for a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.answering import Answer, Questions
from engine.attempt.about import model_folder
from engine.config.attempt import AttemptRequest
from engine.store import Run

MOST_SECONDS = 300.0
"""For one answer: 512 tokens of a model of 135 M parameters take about a minute on one core."""


class Attempts(Questions):
    """One answer at a time; equal questions share one."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            "engine.attempt.answering",
            [str(home / "cache")],
            most_seconds=MOST_SECONDS,
            no_answer="try.no-answer",
            keeps_failures=False,
        )
        self._home = home

    def attempt(self, run: Run, request: AttemptRequest) -> Answer:
        """`state` is working (ask again), done or failed. Raises StoreError as `model_folder`."""
        folder = model_folder(self._home, run)
        question: dict[str, Any] = {"run": run.id, "ended": run.ended, "folder": str(folder), "config": run.config}
        return self.ask({**question, "request": request.to_dict()})
