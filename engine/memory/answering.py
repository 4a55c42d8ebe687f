"""A process that reckons memory for another: a question a line on standard input, its answer a line on standard output.

Fake tensors need patches of the libraries that a training in the same process must not meet.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from engine.answering import loop
from engine.config import RunConfig
from engine.memory.fit import fit
from engine.memory.predict import Predictor
from engine.memory.rows import most_rows
from engine.memory.sampler import capacity
from engine.place import device_of

Answer = dict[str, Any]


class Reckoner:
    """Answers questions, and keeps the last model: the next question is most often about the same one."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._of: str | None = None
        self._predictor: Predictor | None = None

    def answer(self, question: dict[str, Any]) -> Answer:
        """`{config, device, micro_batches}` → its account and curve; `{…, effective, budget_bytes}` → a fit."""
        config = RunConfig.from_dict(question["config"])
        here = device_of(config)
        predictor = self._ready(config, question["device"] or here.type)
        about = {
            "device": question["device"] or here.type,
            "device_name": torch.cuda.get_device_name(here) if here.type == "cuda" else here.type.upper(),
            "capacity_bytes": min(capacity(here), config.memory_budget_bytes or capacity(here)),
        }
        if "effective" in question:
            share = -(-question["effective"] // config.processes)
            found = fit(
                lambda rows: predictor.account(rows, share // rows).peak_bytes,
                effective=question["effective"],
                budget_bytes=question["budget_bytes"],
                processes=config.processes,
                most_rows=most_rows(config),
            )
            return {**about, **found.to_dict()}
        account = predictor.account(config.micro_batch, config.accumulation_steps)
        rows = config.micro_batch * config.accumulation_steps
        curve = []
        for size in question["micro_batches"]:
            steps = -(-rows // size)
            point = predictor.account(size, steps)
            curve.append(
                {"micro_batch": size, "steps": steps, "peak_bytes": point.peak_bytes, "parts": dict(point.parts)}
            )
        return {**about, "account": account.to_dict(), "curve": curve}

    def _ready(self, config: RunConfig, device: str) -> Predictor:
        values = config.to_dict()
        plan = {"per_device_train_batch_size", "gradient_accumulation_steps"}
        values["training"] = {key: value for key, value in values.get("training", {}).items() if key not in plan}
        of = json.dumps([values, device], sort_keys=True, default=str)
        if self._predictor is None or self._of != of:
            self._predictor = None
            self._predictor = Predictor(config, cache=self._cache, device=device)
            self._of = of
        return self._predictor


def answered(reckoner: Reckoner, question: dict[str, Any]) -> Answer:
    """The answer, or the fault that took its place."""
    return loop.answered(reckoner.answer, question, "memory.not-reckoned")  # type: ignore[no-any-return]


def main() -> None:
    torch.set_num_threads(1)
    reckoner = Reckoner(Path(sys.argv[1]))
    loop.answer_lines(lambda question: answered(reckoner, question))


if __name__ == "__main__":
    main()
