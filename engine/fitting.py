"""Fit on the command line: the largest micro-batch in a budget, by prediction and where wanted by a real step."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from engine.config import RunConfig
from engine.config.byte_size import bytes_of, size_text
from engine.console import counted, print_json, standard_output_kept
from engine.errors import ConfigError
from engine.memory.cards import CARDS
from engine.memory.exhausted import is_out_of_memory
from engine.memory.fit import Choice, Fit, fit, smaller
from engine.memory.measure import measure
from engine.memory.predict import Predictor
from engine.memory.rows import most_rows
from engine.memory.sampler import available
from engine.place import device_of
from engine.trainer import Progress, prepare


def fit_here(
    config: RunConfig, home: Path, *, effective: int | None, budget: str | None, trial: bool | None, as_json: bool
) -> None:
    """Finds the plan and prints it. `budget` is a size, a card's id, or None for what this device has; `trial` None:
    a real step where the budget is this device's.

    Raises:
        ConfigError: as `engine.trainer.prepare`, for a budget that is none, and where not even one row fits.
    """
    size, device = _budget(budget, device_of(config))
    processes = config.processes
    rows = effective or config.micro_batch * config.accumulation_steps * processes
    share = -(-rows // processes)
    with standard_output_kept(as_json) as output:
        predictor = Predictor(config, cache=home / "cache", device=device)

        def peak(each: int) -> int:
            return predictor.account(each, share // each).peak_bytes

        found = fit(peak, effective=rows, budget_bytes=size, processes=processes, most_rows=most_rows(config))
        if found.choice is None:
            raise ConfigError("fit.nothing", budget=size_text(size), least=size_text(found.least_bytes))
        measured = None
        if trial or (trial is None and budget is None):
            choice, measured = _tried(config, home, found, peak)
        else:
            choice = found.choice
    if as_json:
        print_json(result(found, choice, measured), output)
    else:
        print("\n".join(in_words(found, choice, measured, processes)))


def result(found: Fit, choice: Choice, measured: int | None) -> dict[str, Any]:
    """The last JSON object; `measured_bytes` is null where no step was tried."""
    return {
        "per_device_train_batch_size": choice.micro_batch,
        "gradient_accumulation_steps": choice.steps,
        "effective": choice.effective,
        "peak_bytes": choice.peak_bytes,
        "measured_bytes": measured,
        "budget_bytes": found.budget_bytes,
        "nearest": [
            {
                "per_device_train_batch_size": plan.micro_batch,
                "gradient_accumulation_steps": plan.steps,
                "effective": plan.effective,
                "peak_bytes": plan.peak_bytes,
            }
            for plan in found.nearest
        ],
    }


def in_words(found: Fit, choice: Choice, measured: int | None, processes: int = 1) -> Iterator[str]:
    budget = size_text(found.budget_bytes)
    each = " on each device" if processes > 1 else ""
    yield f"{_plan(choice, processes)}: {size_text(choice.peak_bytes)} of {budget}{each}, predicted"
    if measured is not None:
        yield f"A real step took {size_text(measured)}."
    if found.nearest:
        yield f"Larger micro-batches fit with another effective batch than {found.effective}:"
        for plan in found.nearest:
            yield f"  {_plan(plan, processes)}: {size_text(plan.peak_bytes)}"


def _plan(choice: Choice, processes: int) -> str:
    devices = f" × {counted(processes, 'device')}" if processes > 1 else ""
    return f"{choice.micro_batch} × {choice.steps}{devices} = {counted(choice.effective, 'example')} an update"


def _budget(budget: str | None, here: torch.device) -> tuple[int, str]:
    """Bytes, and the type of device that they are on: a card's is cuda."""
    if budget is None:
        return available(here), here.type
    for card in CARDS:
        if card.id == budget:
            return card.memory_bytes, "cuda"
    try:
        return bytes_of(budget), here.type
    except ValueError:
        raise ConfigError("fit.budget", field="--budget", value=budget, card=CARDS[0].id) from None


def _tried(config: RunConfig, home: Path, found: Fit, peak: Callable[[int], int]) -> tuple[Choice, int]:
    """The largest plan that a real step on this device confirms, from the predicted one on downwards, and its peak."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(
            config, cache=home / "cache", folder=Path(folder), run=0, emit=lambda event: None, progress=Progress()
        )
        for choice in smaller(found, peak):
            try:
                measured = measure(prepared, choice.micro_batch, choice.steps).peak_bytes
            except Exception as problem:
                if not is_out_of_memory(problem):
                    raise
                continue
            if measured <= found.budget_bytes:
                return choice, measured
    raise ConfigError("fit.nothing", budget=size_text(found.budget_bytes), least=size_text(found.least_bytes))
