"""Common cards and the memory that each is sold with, for a budget by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "assets" / "cards.json"


@dataclass(frozen=True)
class Card:
    """`id` is its name in a budget, such as `rtx-4090`; `family` and `model` are what people call it.

    `memory_bytes` is the memory that it is sold with, in whole GiB; a driver keeps some of it for itself.
    """

    id: str
    family: str
    model: str
    memory_bytes: int

    @property
    def name(self) -> str:
        return f"{self.family} {self.model}"


def _read() -> tuple[Card, ...]:
    rows = json.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(Card(row["id"], row["family"], row["model"], row["memory_gib"] * 2**30) for row in rows)


CARDS = _read()
