"""The line that starts an exported script through accelerate."""

from __future__ import annotations

from engine.config import RunConfig
from engine.store import Run


def line(run: Run) -> str:
    """One process, as the run had; precision and compilation are the script's own arguments."""
    device = "--cpu " if RunConfig.from_dict(run.config).setting("use_cpu") else ""
    options = "--num_processes 1 --num_machines 1 --mixed_precision no --dynamo_backend no"
    return f"accelerate launch {device}{options} train.py"
