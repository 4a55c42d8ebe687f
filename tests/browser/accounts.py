"""Accounts of windows as a ledger would give them, from a few rules of thumb: for the tests of the page alone."""

from __future__ import annotations

import math
from typing import Any

from engine import RunConfig

CATEGORIES = ("weights", "gradients", "optimizer", "activations", "other")
LAYERS = 6
PARAMETERS = 22_715_650
ROW_BYTES = 24 * 2**20
"""Activations of one row of 128 tokens."""

Account = dict[str, Any]


class Told:
    """As the engine's `Account`: named values, and all of them as plain data."""

    def __init__(self, values: Account) -> None:
        self._values = values
        self.peak_bytes: int = values["peak_bytes"]

    def to_dict(self) -> Account:
        return dict(self._values)


def account(config: RunConfig, micro_batch: int, steps: int, *, measured: bool = False, device: str = "cpu") -> Account:
    """A window of `steps` micro-batches. What is measured is a little larger than what was predicted."""
    trained = PARAMETERS if "lora" not in config.to_dict() else PARAMETERS // 100
    half = 2 if config.training.get("bf16") else 4
    kept = 0.3 if config.training.get("activation_checkpointing") else 1.0
    length = config.data.max_length
    held = int(micro_batch * length / 128 * ROW_BYTES * kept * half / 4 * (1.004 if measured else 1))
    window = _Window(4 * PARAMETERS, 4 * trained, 8 * trained, held, steps)
    window.go()
    peak = max(range(len(window.points)), key=lambda place: sum(window.points[place]))
    parts = dict(zip(CATEGORIES, window.points[peak], strict=True))
    span = next(span for span in window.spans if span["start"] <= peak < span["end"])
    layer = "bert.encoder.layer.5.output.dense" if span["phase"] != "update" else None
    return {
        "measured": measured, "device": device, "micro_batch": micro_batch, "steps": steps, "length": length,
        "parameters": PARAMETERS, "trainable": trained, "peak_bytes": sum(parts.values()), "parts": parts,
        "moment": {"phase": span["phase"], "micro_batch": span["micro_batch"], "module": layer},
        "largest": _largest(micro_batch, length, held),
        "trace": {
            "bytes": {name: [point[place] for point in window.points] for place, name in enumerate(CATEGORIES)},
            "spans": window.spans,
        },
        "seconds": 0.4,
    }  # fmt: skip


def peak_of(config: RunConfig, micro_batch: int, steps: int) -> dict[str, Any]:
    """The point of a curve."""
    found = account(config, micro_batch, min(steps, 3))
    return {"micro_batch": micro_batch, "steps": steps, "peak_bytes": found["peak_bytes"], "parts": found["parts"]}


class _Window:
    """The saw-tooth: activations rise in each forward pass and fall in its backward pass, where gradients appear."""

    def __init__(self, weights: int, gradients: int, optimizer: int, activations: int, steps: int) -> None:
        self.weights, self.full, self.optimizer, self.activations, self.steps = (
            weights, gradients, optimizer, activations, steps,
        )  # fmt: skip
        self.points: list[tuple[int, int, int, int, int]] = []
        self.spans: list[dict[str, Any]] = []

    def go(self) -> None:
        each = max(6, min(40, 380 // self.steps))
        gradients = 0
        for number in range(1, self.steps + 1):
            with_span = len(self.points)
            for step in range(each):
                self._add(gradients, int(self.activations * (step + 1) / each), step)
            self._span("forward", number, with_span)
            begin = len(self.points)
            for step in range(each):
                if number == 1:
                    gradients = int(self.full * (step + 1) / each)
                self._add(gradients, int(self.activations * (each - step - 1) / each), step, 1.6)
            self._span("backward", number, begin)
        begin = len(self.points)
        for step in range(10):
            self._add(self.full, 0, step, 0.6)
        self._span("update", self.steps, begin)

    def _add(self, gradients: int, activations: int, step: int, stir: float = 1.0) -> None:
        other = int(self.activations * 0.07 * stir * (1 + math.sin(2.4 * step)) / 2)
        self.points.append((self.weights, gradients, self.optimizer, activations, other))

    def _span(self, phase: str, number: int, start: int) -> None:
        self.spans.append({"phase": phase, "micro_batch": number, "start": start, "end": len(self.points)})


def _largest(micro_batch: int, length: int, held: int) -> list[dict[str, Any]]:
    rows: list[tuple[str, str, list[int]]] = [
        ("bert.embeddings.word_embeddings.weight", "weights", [30522, 384]),
        ("bert.embeddings.word_embeddings.weight", "optimizer", [2, 30522, 384]),
        ("bert.embeddings.word_embeddings.weight", "gradients", [30522, 384]),
        *(
            (f"bert.encoder.layer.{layer}.intermediate.dense", "activations", [micro_batch, length, 1536])
            for layer in range(LAYERS)
        ),
        ("bert.encoder.layer.5.attention.self", "other", [micro_batch, 12, length, 32]),
    ]
    found = [
        {"name": name, "bytes": 4 * math.prod(shape), "category": category, "shape": shape, "dtype": "float32"}
        for name, category, shape in rows
    ]
    return sorted(found, key=lambda tensor: -tensor["bytes"])[:12]
