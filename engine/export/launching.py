"""The line that starts a run again through accelerate: its exported script, or the processes that it had."""

from __future__ import annotations

import shlex

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.launch import ALONE, options_of
from engine.store import Run


def line(run: Run) -> str:
    """Of a run of one process its script. Several share a window by Birikim, which trains by the run's YAML file."""
    config = RunConfig.from_dict(run.config)
    if config.launched:
        what = ["--module", "engine", "train", f"run-{run.id}.yaml"]
        return shlex.join(["accelerate", "launch", *_options(config), *what])
    device = ["--cpu"] if config.setting("use_cpu") else []
    return shlex.join(["accelerate", "launch", *device, "--num_processes", "1", *ALONE, "train.py"])


def place(run: Run) -> str:
    """What the line is to be started beside, as a way of `birikim export`."""
    return "yaml" if RunConfig.from_dict(run.config).launched else "script"


def _options(config: RunConfig) -> list[str]:
    """Also where the file that says the processes is on another machine."""
    try:
        return options_of(config)
    except ConfigError:
        assert config.launch and config.launch.accelerate_config
        return ["--config_file", config.launch.accelerate_config]
