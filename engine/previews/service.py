"""Previews for many who ask, made by one child process: no training and no page waits for a tokenizer."""

from __future__ import annotations

from pathlib import Path

from engine.answering.questions import Answer, Questions
from engine.config import RunConfig
from engine.previews.question import previewed

MOST_SECONDS = 300.0


class Previews(Questions):
    """Answers at once with what is known, and has the rest looked at, the newest question first."""

    def __init__(self, cache: Path) -> None:
        super().__init__(
            "engine.previews.answering",
            [str(cache)],
            most_seconds=MOST_SECONDS,
            no_answer="data.no-preview-answer",
            keeps_failures=True,
        )

    def preview(self, config: RunConfig) -> Answer:
        return self.ask(previewed(config))
