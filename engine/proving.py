"""A proof on the command line: in the main thread, with nothing written to the home folder but its cache."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.console import counted, print_json, standard_output_kept
from engine.figures import error_text, plan_text
from engine.proof import BatchPlan, Bench, Proof, in_words, plans_of, prove, verdict
from engine.proof.bench import Precision
from engine.proof.prove import finite


def prove_here(config: RunConfig, home: Path, *, precision: Precision, plans: bool, as_json: bool) -> None:
    """Proves and prints. Raises ConfigError for what is wrong before the first forward pass.

    The window of several processes is proved in this one, with the micro-batches of all of them.
    """
    config = config.in_one_process()
    own = (config.micro_batch, config.accumulation_steps)
    chosen = [own, *(plan for plan in plans_of(own[0] * own[1]) if plans and plan != own)]
    with (
        tempfile.TemporaryDirectory() as folder,
        standard_output_kept(as_json) as output,
        Bench.of(config, cache=home / "cache", folder=Path(folder), precision=precision) as bench,
    ):
        found = prove(bench, chosen)
    if as_json:
        for plan in chosen[1:]:
            print_json({"plan": list(plan), **figures(found, plan)}, output)
        print_json(result(found, own), output)
    else:
        print("\n".join(table(found, chosen)))
        print("\n".join(in_words(verdict(found))))


def result(proof: Proof, plan: BatchPlan) -> dict[str, Any]:
    """The last JSON object: the four figures of the run's own plan, and what they were found on."""
    return {
        **figures(proof, plan),
        "plan": list(plan),
        "rows": proof.rows,
        "targets": proof.targets,
        "model_class": proof.model_class,
        "precision": proof.precision,
        "reference": proof.reference,
        "verdict": in_words(verdict(proof)),
    }


def figures(proof: Proof, plan: BatchPlan) -> dict[str, float | None]:
    """Of one plan; null for a way that was not gone, or whose reference is zero."""
    ways = {name: proof.way(name, plan) for name in ("accumulated", "mean-of-means", "trainer")}
    errors = {name: finite(way.relative_error) if way else None for name, way in ways.items()}
    stock = ways["trainer"]
    return {
        "relative_error": errors["accumulated"],
        "mean_of_means_relative_error": errors["mean-of-means"],
        "trainer_relative_error": errors["trainer"],
        "trainer_norm_ratio": finite(stock.norm_ratio) if stock else None,
    }


def table(proof: Proof, plans: list[BatchPlan]) -> Iterator[str]:
    """A line a plan: how far each way is from the gradient of the model's own mean."""
    yield f"{proof.model_class}, {counted(proof.rows, 'row')}, {counted(proof.targets, 'target')}, {proof.precision}"
    yield f"{'plan':<12}{'Birikim':>12}{'mean of means':>16}{'stock Trainer':>16}{'its norm':>12}"
    for plan in plans:
        cells = figures(proof, plan)
        errors = [
            "–" if value is None else error_text(value)
            for value in (
                cells["relative_error"], cells["mean_of_means_relative_error"], cells["trainer_relative_error"]
            )
        ]  # fmt: skip
        ratio = cells["trainer_norm_ratio"]
        norm = "–" if ratio is None else f"{ratio:.2f} ×"
        yield f"{plan_text(plan):<12}{errors[0]:>12}{errors[1]:>16}{errors[2]:>16}{norm:>12}"
