"""The same update: whatever the plan, the accumulated gradient is that of the large batch, and so is the training."""

from __future__ import annotations

from typing import Any

from engine.figures import plan_text
from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code

PLANS = ((32, 1), (16, 2), (8, 4), (4, 8))
UPDATES = 12

CONFIG = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32},
    "training": {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 4,
        "learning_rate": 1e-3,
        "max_steps": UPDATES,
    },
}

TOGETHER = 1e-3
"""Loss curves that are nowhere further apart, relative, lie on one another: an optimizer enlarges rounding."""


def picture(measured: Measured) -> Picture:
    curves = _curves(measured)
    apart = {tuple(curve["plan"]): curve["apart"] for curve in curves}
    ways = _ways(measured)
    return Picture(
        [
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.error"), "error"),
            Quantity(code("column.cosine"), "number"),
            Quantity(code("column.norm"), "ratio"),
            Quantity(code("column.apart"), "error"),
        ],
        [
            [
                plan_text(way["plan"]),
                way["relative_error"],
                way["cosine"],
                way["norm_ratio"],
                apart.get(tuple(way["plan"])),
            ]
            for way in ways
        ],
        Chart(
            "lines",
            Quantity(code("column.update")),
            Quantity(code("column.loss"), "number"),
            [
                Series(plan_text(curve["plan"]), list(range(1, len(curve["losses"]) + 1)), curve["losses"])
                for curve in curves
            ],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    ways, curves = _ways(measured), _curves(measured)
    if not ways:
        return []
    worst = max(ways, key=lambda way: _or_infinite(way["relative_error"]))
    values = {
        "plan": plan_text(worst["plan"]),
        "error": worst["relative_error"],
        "targets": measured["proof"]["targets"],
        "rows": measured["proof"]["rows"],
        "plans": len(ways),
    }
    exact = _or_infinite(worst["relative_error"]) <= measured["proof"]["tolerance"]
    said = [Sentence(code("same-update.conclusion", "exact" if exact else "off"), values)]
    if len(curves) > 1:
        apart = max(curve["apart"] for curve in curves)
        values = {"apart": apart, "updates": min(len(curve["losses"]) for curve in curves)}
        said.append(Sentence(code("same-update.conclusion", "together" if apart <= TOGETHER else "apart"), values))
    return said


def _ways(measured: Measured) -> list[dict[str, Any]]:
    """Of each plan the run's own accumulation, the largest micro-batch first."""
    ways = [way for way in measured.get("proof", {}).get("ways", ()) if way["name"] == "accumulated"]
    return sorted(ways, key=lambda way: -way["plan"][0])


def _curves(measured: Measured) -> list[dict[str, Any]]:
    return [curve for curve in measured.get("proof", {}).get("curves", ()) if curve["normalization"] == "exact"]


def _or_infinite(error: float | None) -> float:
    return float("inf") if error is None else error


LESSON = Lesson(
    "same-update",
    (Part("proof", "proof", CONFIG, {"plans": [list(plan) for plan in PLANS], "updates": UPDATES}),),
    picture,
    conclude,
)
