"""The line that starts a run again through accelerate: its exported script, or the processes that it had."""

from __future__ import annotations

import shlex

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.store import Run

_OURS = "--num_machines 1 --mixed_precision no --dynamo_backend no"
"""Precision and compilation are arguments of what is launched."""

_SEVERAL = "--multi_gpu "
"""By this option alone accelerate starts more than one process on a machine, on a CPU as well."""


def line(run: Run) -> str:
    """Of a run of one process its script. Several share a window by Birikim, which trains by the run's YAML file."""
    config = RunConfig.from_dict(run.config)
    if config.launch and config.launch.accelerate_config is not None:
        options = f"{_several(config)}--config_file {shlex.quote(config.launch.accelerate_config)}"
    elif config.processes > 1:
        options = f"{_SEVERAL}--num_processes {config.processes} {_OURS}"
    else:
        device = "--cpu " if config.setting("use_cpu") else ""
        return f"accelerate launch {device}--num_processes 1 {_OURS} train.py"
    return f"accelerate launch {options} --module engine train run-{run.id}.yaml"


def place(run: Run) -> str:
    """What the line is to be started beside, as a way of `birikim export`."""
    return "yaml" if RunConfig.from_dict(run.config).launched else "script"


def _several(config: RunConfig) -> str:
    """The option, where a file that is there is for processes on the CPU: by itself accelerate would start one."""
    try:
        file = config.accelerate_file()
    except ConfigError:
        return ""
    return _SEVERAL if file and file.use_cpu and file.processes > 1 and not file.sharded else ""
