"""Made-up numbers in the shape that the works of a lesson leave, for every outcome that a conclusion has words for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Found = dict[str, Any]


def account(plan: tuple[int, int], activations: int, *, stays: int = 300) -> Found:
    """One window's memory: a third of `stays` are the weights."""
    parts = {"weights": stays // 3, "gradients": stays // 3, "optimizer": stays // 3, "activations": activations}
    return {"plan": list(plan), "peak_bytes": stays + activations, "parts": {**parts, "other": 0}, "seconds": 1.0}


def memory(*accounts: Found) -> Found:
    return {"plans": list(accounts), "errors": []}


def way(name: str, plan: tuple[int, int], error: float | None, ratio: float | None = 1.0) -> Found:
    return {
        "name": name, "plan": list(plan), "loss": 1.0, "relative_error": error, "cosine": 1.0, "norm_ratio": ratio
    }  # fmt: skip


def proof(*ways: Found, curves: Sequence[Found] = ()) -> Found:
    return {
        "model_class": "Any", "precision": "fp32", "rows": 32, "targets": 200, "reference_loss": 1.0,
        "tolerance": 1e-5, "ways": list(ways), "curves": list(curves),
    }  # fmt: skip


def curve(plan: tuple[int, int], apart: float) -> Found:
    return {"plan": list(plan), "normalization": "exact", "losses": [2.0, 1.0], "apart": apart}


def run(
    plan: tuple[int, int],
    *,
    examples: Sequence[int] = (32, 32),
    seconds: float = 1.0,
    eval_loss: float | None = None,
    window: Sequence[tuple[int, float]] = (),
    rows: int = 64,
) -> Found:
    """A training run; `window` are the targets and the mean loss of each micro-batch."""
    count = len(examples)
    total = sum(targets for targets, _ in window)
    return {
        "plan": list(plan),
        "rows": rows,
        "updates": {
            "update": list(range(1, count + 1)),
            "epoch": [place / count for place in range(1, count + 1)],
            "loss": [1.0] * count,
            "learning_rate": [1e-3] * count,
            "examples": list(examples),
            "targets": list(examples),
            "padding": [0.0] * count,
            "duration": [seconds] * count,
        },
        "window": [
            {"index": index, "loss": loss, "weight": targets / total, "targets": targets, "examples": 1}
            for index, (targets, loss) in enumerate(window, start=1)
        ],
        "eval_loss": eval_loss,
        "eval_metrics": {},
    }


def noise(scale: float | None) -> Found:
    return {
        "micro_batch": 8, "examples": 64, "of": 8, "windows": 8, "gradient_square": 1.0, "noise": scale or 1.0,
        "scale": scale, "low": None, "high": None,
    }  # fmt: skip
