"""What a student may ask to be trained: a small experiment within fixed bounds, checked wherever it passes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine import RunConfig

MODELS = {
    "tiny-llama": ("text-generation", "python-docs"),
    "tiny-bert": ("text-classification", "sentiment"),
    "tiny-t5": ("text2text-generation", "sums"),
}
"""Task and data of each model that is allowed: none has more than five million parameters."""

NORMALIZATIONS = ("exact", "mean-of-means", "trainer")
BOUNDS: dict[str, tuple[int, int]] = {"micro_batch": (1, 16), "accumulation_steps": (1, 32), "updates": (1, 40)}
MOST_ROWS = 64
"""Of one update."""
RATES = (1e-6, 1.0)
MOST_WAITING = 20
"""Of all students together."""
LONGEST_NAME = 24
LENGTH = 64
"""Tokens of the longest row."""


class Refused(Exception):
    """Something that can't be granted: `name` of its words (`class.…`), and the values that they need."""

    def __init__(self, name: str, **values: Any) -> None:
        self.name = name
        self.values = values
        super().__init__(name)


@dataclass(frozen=True)
class Wish:
    """One experiment, as a student asks for it. `name` is what the teacher sees of who asks."""

    name: str
    model: str
    micro_batch: int
    accumulation_steps: int
    updates: int
    learning_rate: float
    normalization: str

    @classmethod
    def of(cls, asked: Any) -> Wish:
        """The wish in what anyone may have sent. Raises Refused about the first thing that is wrong."""
        if not isinstance(asked, dict) or asked.keys() - cls.__annotations__.keys():
            raise Refused("class.refused.form")
        numbers = {name: _whole(asked.get(name), name, *bounds) for name, bounds in BOUNDS.items()}
        rows = numbers["micro_batch"] * numbers["accumulation_steps"]
        if rows > MOST_ROWS:
            raise Refused("class.refused.rows", rows=rows, most=MOST_ROWS)
        model, normalization = asked.get("model"), asked.get("normalization")
        if not isinstance(model, str) or model not in MODELS or normalization not in NORMALIZATIONS:
            raise Refused("class.refused.form")
        return cls(
            name=_name(asked.get("name")),
            model=model,
            learning_rate=_rate(asked.get("learning_rate")),
            normalization=normalization,
            **numbers,
        )

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    def config(self) -> RunConfig:
        """The run that it is. Nothing of it can be named but by the bounds above."""
        task, data = MODELS[self.model]
        return RunConfig.from_dict(
            {
                "model": self.model,
                "task": task,
                "data": {"name": data, "max_length": LENGTH},
                "loss_normalization": self.normalization,
                "training": {
                    "per_device_train_batch_size": self.micro_batch,
                    "gradient_accumulation_steps": self.accumulation_steps,
                    "learning_rate": self.learning_rate,
                    "max_steps": self.updates,
                    "eval_strategy": "no",
                    "seed": 42,
                },
            }
        )


def for_page() -> dict[str, Any]:
    """What the form offers, and within which bounds."""
    return {
        "models": list(MODELS),
        "normalizations": NORMALIZATIONS,
        "bounds": BOUNDS,
        "rates": RATES,
        "longest_name": LONGEST_NAME,
        "most_rows": MOST_ROWS,
        "most_waiting": MOST_WAITING,
    }


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Refused(f"class.refused.{name}", low=low, high=high)
    return value


def _rate(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not RATES[0] <= value <= RATES[1]:
        raise Refused("class.refused.learning_rate", low=RATES[0], high=RATES[1])
    return float(value)


def _name(value: Any) -> str:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused("class.refused.name", most=LONGEST_NAME)
    return name
