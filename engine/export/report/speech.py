"""How a report says things in one language: its words, its figures, and what was told of the run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.export.report.words import TABLES
from engine.words.language import Language
from engine.words.turkish import TURKISH

OTHERS: Mapping[str, Language] = {"tr": TURKISH}
DAYS = {"en": "%Y-%m-%d %H:%M", "tr": "%d.%m.%Y %H:%M"}


class Speech:
    """Called with a name of the words and their values, it says them; a name without words is said as it is."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = TABLES[language]
        self._other = OTHERS.get(language)

    def __call__(self, name: str, **values: Any) -> str:
        return self._words[name].format(**values)

    def named(self, kind: str, name: str) -> str:
        """A name that the engine gives to a `kind` of things; one of the user's own is left as it is."""
        return self._words.get(f"{kind}.{name}", name)

    def figures(self, text: str) -> str:
        """A text whose numbers are written as in English."""
        return self._other.number(text) if self._other else text

    def told(self, code: str, values: Mapping[str, Any], sent: str) -> str:
        """What was `sent` in English under a code."""
        words = self._other.told(code, values) if self._other else None
        return " ".join(words).strip() if words else sent

    def duration(self, seconds: float) -> str:
        whole = round(seconds)
        if whole < 60:
            return self("time.seconds", s=self.figures(f"{seconds:.1f}"))
        if whole < 3600:
            return self("time.minutes", min=whole // 60, s=whole % 60)
        return self("time.hours", h=whole // 3600, min=whole // 60 % 60)

    def moment(self, seconds: float) -> str:
        """A moment in Unix seconds."""
        return datetime.fromtimestamp(seconds).strftime(DAYS[self.language])
