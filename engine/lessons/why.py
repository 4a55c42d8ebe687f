"""Why accumulate: the same effective batch takes less memory in smaller micro-batches."""

from __future__ import annotations

from typing import Any

from engine.figures import plan_text
from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code

PLANS = ((32, 1), (16, 2), (8, 4), (4, 8))

CATEGORIES = ("weights", "gradients", "optimizer", "activations", "other")

MINILM: dict[str, Any] = {
    "model": "minilm",
    "task": "text-classification",
    "data": {"name": "stdlib-docstrings", "max_length": 128},
    "training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4, "max_steps": 40},
}

SMALLER = 0.95
"""Of the memory: from here on it is called less."""


def picture(measured: Measured) -> Picture:
    accounts = _accounts(measured)
    plans = [plan_text(account["plan"]) for account in accounts]
    return Picture(
        [
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.activations"), "bytes"),
            Quantity(code("column.rest"), "bytes"),
            Quantity(code("column.peak"), "bytes"),
        ],
        [
            [plan, account["parts"]["activations"], _rest(account), account["peak_bytes"]]
            for plan, account in zip(plans, accounts, strict=True)
        ],
        Chart(
            "stacked",
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.memory"), "bytes"),
            [
                Series(code("series", category), plans, [account["parts"][category] for account in accounts])
                for category in CATEGORIES
            ],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    accounts = {tuple(account["plan"]): account for account in _accounts(measured)}
    missing = [plan for plan in PLANS if plan not in accounts]
    said = [Sentence(code("why.conclusion.did-not-fit"), {"plan": plan_text(plan)}) for plan in missing]
    if len(accounts) < 2:
        return said
    large, small = max(accounts), min(accounts)
    first, last = accounts[large], accounts[small]
    values = {
        "large": plan_text(large),
        "small": plan_text(small),
        "rows": large[0] * large[1],
        "activations_large": first["parts"]["activations"],
        "activations_small": last["parts"]["activations"],
        "activations_ratio": first["parts"]["activations"] / max(1, last["parts"]["activations"]),
        "rest_large": _rest(first),
        "rest_small": _rest(last),
        "peak_large": first["peak_bytes"],
        "peak_small": last["peak_bytes"],
        "saved": 1 - last["peak_bytes"] / first["peak_bytes"],
    }
    shrunk = last["parts"]["activations"] < SMALLER * first["parts"]["activations"]
    said.append(Sentence(code("why.conclusion", "activations" if shrunk else "activations-same"), values))
    lower = last["peak_bytes"] < SMALLER * first["peak_bytes"]
    said.append(Sentence(code("why.conclusion", "peak" if lower else "peak-same"), values))
    return said


def _accounts(measured: Measured) -> list[dict[str, Any]]:
    return list(measured.get("plans", {}).get("plans", ()))


def _rest(account: dict[str, Any]) -> int:
    return int(account["peak_bytes"] - account["parts"]["activations"])


LESSON = Lesson(
    "why",
    (Part("plans", "memory", MINILM, {"plans": [list(plan) for plan in PLANS]}),),
    picture,
    conclude,
)
