"""The loss-scaling trap: a mean of the micro-batches' means is not the mean over the targets, on uneven rows."""

from __future__ import annotations

from typing import Any

from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset

UPDATES = 30
SAME = 0.005
"""Evaluation losses that are no further apart, relative, are called the same."""


def picture(measured: Measured) -> Picture:
    window = _window(measured)
    number = [row["index"] for row in window]
    right: list[float | None] = [row["weight"] for row in window]
    means: list[float | None] = [1 / len(window) for _ in window]
    return Picture(
        [
            Quantity(code("column.micro-batch")),
            Quantity(code("column.targets")),
            Quantity(code("column.own-mean"), "number"),
            Quantity(code("column.weight-exact"), "share"),
            Quantity(code("column.weight-means"), "share"),
            Quantity(code("column.a-target"), "ratio"),
        ],
        [
            [row["index"], row["targets"], row["loss"], row["weight"], 1 / len(window), _overrated(row, window)]
            for row in window
        ],
        Chart(
            "bars",
            Quantity(code("column.micro-batch")),
            Quantity(code("column.weight"), "share"),
            [Series(code("series.exact"), number, right), Series(code("series.means"), number, means)],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    window = [row for row in _window(measured) if row["targets"] and row["loss"] is not None]
    targets = [row["targets"] for row in window]
    exact = sum(row["loss"] * row["targets"] for row in window) / sum(targets)
    means = sum(row["loss"] for row in window) / len(window)
    values: dict[str, Any] = {
        "micro_batches": len(window),
        "least": min(targets),
        "most": max(targets),
        "factor": max(targets) / min(targets),
        "exact": exact,
        "means": means,
        "apart": abs(means - exact) / exact,
    }
    uneven = max(targets) > min(targets)
    said = [Sentence(code("scaling-trap.conclusion", "uneven" if uneven else "even"), values)]
    return [*said, _of_the_gradient(measured), _of_the_training(measured)]


def _of_the_gradient(measured: Measured) -> Sentence:
    proof = measured["proof"]
    ways = {way["name"]: way for way in proof["ways"]}
    means = ways["mean-of-means"]
    values = {
        "means": means["relative_error"],
        "norm": means["norm_ratio"],
        "exact": ways["accumulated"]["relative_error"],
    }
    off = means["relative_error"] is None or means["relative_error"] > proof["tolerance"]
    return Sentence(code("scaling-trap.conclusion", "gradient-off" if off else "gradient-same"), values)


def _of_the_training(measured: Measured) -> Sentence:
    exact, means = (measured[part]["eval_loss"] for part in ("exact", "means"))
    values = {"exact": exact, "means": means, "updates": len(measured["exact"]["updates"]["update"])}
    if abs(means - exact) <= SAME * exact:
        return Sentence(code("scaling-trap.conclusion.trained-same"), values)
    return Sentence(code("scaling-trap.conclusion", "trained-worse" if means > exact else "trained-better"), values)


def _overrated(row: dict[str, Any], window: list[dict[str, Any]]) -> float | None:
    """How many times as much as it should a target of this micro-batch counts in a mean of means."""
    return 1 / len(window) / row["weight"] if row["weight"] else None


def _window(measured: Measured) -> list[dict[str, Any]]:
    return list(measured.get("exact", {}).get("window", ()))


def _config(normalization: str) -> dict[str, Any]:
    return preset(
        "tiny-llama",
        "text-generation",
        "python-docs",
        plan=(1, 8),
        max_length=256,
        eval_rows=64,
        training={
            "learning_rate": 2e-3,
            "max_steps": UPDATES,
            "eval_strategy": "steps",
            "eval_steps": UPDATES,
            "per_device_eval_batch_size": 8,
        },
        # the rows of both runs come in one order
        window_order="random",
        loss_normalization=normalization,
    )


LESSON = Lesson(
    "scaling-trap",
    (
        Part("exact", "train", _config("exact")),
        Part("proof", "proof", _config("exact")),
        Part("means", "train", _config("mean-of-means")),
    ),
    picture,
    conclude,
)
