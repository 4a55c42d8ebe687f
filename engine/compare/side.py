"""One of the runs that are compared, as the store tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.compare.settings import Settings, settings_of
from engine.errors import StoreError
from engine.store import Reading, Run


@dataclass(frozen=True)
class Side:
    """The run, its thinned rows and notices as `Reading.read` gives them, and its settings."""

    run: Run
    told: dict[str, Any]
    settings: Settings

    @classmethod
    def of(cls, store: Reading, number: int, points: int) -> Side:
        """Raises StoreError: there is no such run, or it trains nothing."""
        run = store.run(number)
        if run.kind != "train":
            raise StoreError("compare.no-training", run=number)
        return cls(run, store.read(number, points=points), settings_of(run.config))

    @property
    def id(self) -> int:
        return self.run.id

    @property
    def finished(self) -> bool:
        return self.run.state == "finished"

    @property
    def imported(self) -> bool:
        return self.noticed("run.imported")

    @property
    def facts(self) -> dict[str, Any]:
        return self.run.facts or {}

    @property
    def effective_batch(self) -> int | None:
        return self.run.plan["effective_batch"] if self.run.plan else None

    def column(self, table: str, name: str) -> list[Any]:
        found: list[Any] = self.told[table][name]
        return found

    def noticed(self, *codes: str) -> bool:
        return any(notice["code"] in codes for notice in self.told["notices"])
