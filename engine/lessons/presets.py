"""The configs of lessons: small models and built-in data, so that a laptop without a network does."""

from __future__ import annotations

from typing import Any

SEED = 42


def preset(
    model: str,
    task: str,
    data: str,
    *,
    plan: tuple[int, int],
    max_length: int,
    training: dict[str, Any] | None = None,
    eval_rows: int | None = None,
    **others: Any,
) -> dict[str, Any]:
    """A config's plain values; `plan` is rows of a micro-batch and micro-batches of a window."""
    held_out = {} if eval_rows is None else {"eval_rows": eval_rows}
    return {
        "model": model,
        "task": task,
        "data": {"name": data, "max_length": max_length, **held_out},
        "training": {
            "per_device_train_batch_size": plan[0],
            "gradient_accumulation_steps": plan[1],
            "seed": SEED,
            **(training or {}),
        },
        **others,
    }
