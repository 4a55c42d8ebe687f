"""Names of sweeps and of their runs, and whether two sweeps are one."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from engine.config import RunConfig, SweepSpec
from engine.store import SWEEP

LONGEST_STEM = 40


def run_name(study: str, number: int) -> str:
    """What the run of a trial is called in the store."""
    return f"{SWEEP}{study}/{number:04d}"


def noise_name(study: str) -> str:
    """What the estimate of a sweep's gradient noise is called there."""
    return f"{SWEEP}{study}/noise"


def alike(config: RunConfig, spec: SweepSpec, *, shared: bool) -> str:
    """The same text for the same settings, on whatever device. Two files of one name are two settings.

    `shared`: by machines on which the config's files lie in other folders; then their names alone count,
    and what they hold is looked at apart.
    """
    values = {key: value for key, value in config.to_dict().items() if key != "device"}
    said = {"config": values, "spec": spec.to_dict()}
    return json.dumps(without_folders(said) if shared else said, sort_keys=True)


def study_name(stem: str, config: RunConfig, spec: SweepSpec) -> str:
    """The name that the same config file has every time: its own, and a digest of what it says, folders included."""
    word = re.sub(r"[^\w.-]+", "-", stem).strip("-")[:LONGEST_STEM] or "sweep"
    return f"{word}-{hashlib.sha256(alike(config, spec, shared=False).encode()).hexdigest()[:6]}"


def without_folders(value: Any) -> Any:
    """With the name of each file and folder in place of where it lies."""
    if isinstance(value, dict):
        return {key: without_folders(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_folders(each) for each in value]
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value
