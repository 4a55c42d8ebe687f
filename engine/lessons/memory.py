"""What fills a device's memory, and what helps beyond accumulation: checkpointing, mixed precision, adapters."""

from __future__ import annotations

from typing import Any

from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.why import CATEGORIES, MINILM

PARTS = ("plain", "checkpointing", "bf16", "lora")

LOWER = 0.97
"""Of the memory: from here on it is called less."""


def picture(measured: Measured) -> Picture:
    accounts = _accounts(measured)
    names = [code("memory.part", name) for name in accounts]
    return Picture(
        [
            Quantity(code("column.means"), "text"),
            *(Quantity(code("series", category), "bytes") for category in CATEGORIES),
            Quantity(code("column.peak"), "bytes"),
        ],
        [
            [label, *(account["parts"][category] for category in CATEGORIES), account["peak_bytes"]]
            for label, account in zip(names, accounts.values(), strict=True)
        ],
        Chart(
            "stacked",
            Quantity(code("column.means"), "text"),
            Quantity(code("column.memory"), "bytes"),
            [
                Series(code("series", category), names, [account["parts"][category] for account in accounts.values()])
                for category in CATEGORIES
            ],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    accounts = _accounts(measured)
    if len(accounts) < len(PARTS):
        return [Sentence(code("memory.conclusion.did-not-fit"))]
    plain = accounts["plain"]
    parts = plain["parts"]
    stays = parts["weights"] + parts["gradients"] + parts["optimizer"]
    said = [
        Sentence(
            code("memory.conclusion.fills"),
            {
                "weights": parts["weights"],
                "stays": stays,
                "times": stays / parts["weights"],
                "activations": parts["activations"],
                "peak": plain["peak_bytes"],
            },
        )
    ]
    for name in PARTS[1:]:
        account = accounts[name]
        values = {
            "before": plain["peak_bytes"],
            "after": account["peak_bytes"],
            "saved": 1 - account["peak_bytes"] / plain["peak_bytes"],
            "activations_before": parts["activations"],
            "activations": account["parts"]["activations"],
            "stays_before": stays,
            "stays": sum(account["parts"][category] for category in CATEGORIES[:3]),
        }
        lower = account["peak_bytes"] < LOWER * plain["peak_bytes"]
        said.append(Sentence(code("memory.conclusion", name if lower else f"{name}-not"), values))
    return said


def _accounts(measured: Measured) -> dict[str, dict[str, Any]]:
    """The one window of each part that has fitted."""
    found = {name: measured[name]["plans"] for name in PARTS if name in measured}
    return {name: plans[0] for name, plans in found.items() if plans}


def _config(**changes: Any) -> dict[str, Any]:
    plan = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2}
    return {**MINILM, **changes, "training": {**MINILM["training"], **plan, **changes.get("training", {})}}


LESSON = Lesson(
    "memory",
    (
        Part("plain", "memory", _config()),
        Part("checkpointing", "memory", _config(training={"activation_checkpointing": True})),
        Part("bf16", "memory", _config(training={"bf16": True})),
        Part("lora", "memory", _config(lora={"r": 8, "alpha": 16})),
    ),
    picture,
    conclude,
)
