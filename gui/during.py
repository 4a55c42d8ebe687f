"""What a run does beside its updates, between a config and the form: it evaluates, stops early, keeps checkpoints,
samples. In each field 0 means that it doesn't.
"""

from __future__ import annotations

from typing import Any

from engine import RunConfig, SamplesSpec

Values = dict[str, Any]
BREAK = "⏎"
"""Stands for a line break inside a prompt, since a line break ends it."""


def show_eval_every(config: RunConfig) -> Any:
    return _interval(config.setting("eval_strategy"), config.setting("eval_steps"))


def write_eval_every(values: Values, every: Any) -> None:
    _write_interval(values, "eval", every)


def show_save_every(config: RunConfig) -> Any:
    return _interval(config.training.get("save_strategy", "no"), config.setting("save_steps"))


def write_save_every(values: Values, every: Any) -> None:
    _write_interval(values, "save", every)


def show_save_limit(config: RunConfig) -> Any:
    return config.setting("save_total_limit") or 0


def write_save_limit(values: Values, most: Any) -> None:
    training = part(values, "training")
    training.pop("save_total_limit", None)
    if most:
        training["save_total_limit"] = most


def show_patience(config: RunConfig) -> Any:
    return config.early_stopping.patience if config.early_stopping else 0


def write_patience(values: Values, patience: Any) -> None:
    if patience:
        part(values, "early_stopping")["patience"] = patience
    else:
        values.pop("early_stopping", None)


def write_sampling(values: Values, on: bool) -> None:
    values.pop("samples", None)
    if on:
        values["samples"] = {}


def show_sample_every(config: RunConfig) -> Any:
    return (config.samples or SamplesSpec()).every


def write_sample_every(values: Values, every: Any) -> None:
    if values.get("samples") is not None:  # an interval alone asks for no samples
        values["samples"]["every"] = every


def show_prompts(config: RunConfig) -> str | None:
    prompts = config.samples.prompts if config.samples else []
    return "\n".join(prompt.replace("\n", BREAK) for prompt in prompts).strip() or None


def write_prompts(values: Values, text: str | None) -> None:
    if values.get("samples") is None:
        return
    values["samples"].pop("prompts", None)
    prompts = [line.replace(BREAK, "\n") for line in (text or "").split("\n") if line.strip()]
    if prompts:
        values["samples"]["prompts"] = prompts


def _interval(strategy: Any, steps: Any) -> Any:
    """Updates between two; None where they are counted in another way."""
    return steps if strategy == "steps" else 0 if strategy == "no" else None


def _write_interval(values: Values, kind: str, every: Any) -> None:
    training = part(values, "training")
    if every == 0:
        training[f"{kind}_strategy"] = "no"
        training.pop(f"{kind}_steps", None)
    else:
        training.update({f"{kind}_strategy": "steps", f"{kind}_steps": every})


def part(values: Values, name: str) -> Values:
    """The part of a config's plain values that has that name, from now on at least an empty one."""
    found = values.get(name)
    if not isinstance(found, dict):
        found = values[name] = {}
    return found
