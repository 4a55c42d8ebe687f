"""The command line that starts the processes of a run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence

from engine.config import RunConfig

ACCELERATE = (sys.executable, "-m", "engine.launch.agent")

ALONE = ("--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no")
"""On one machine, and nothing else told."""


def options_of(config: RunConfig) -> list[str]:
    """What `accelerate launch` is told of the processes. Raises ConfigError where the file that says them can't be."""
    if file := config.accelerate_file():
        # of a file for CPUs accelerate would start one process, and with the flag no FSDP
        flag = file.use_cpu and file.processes > 1 and not file.sharded
        return [*(["--multi_gpu"] if flag else []), "--config_file", file.path]
    # what a person has set up elsewhere changes no run; precision and compilation are the run's own
    return ["--multi_gpu", "--num_processes", str(config.processes), *ALONE]


def launch_command(config: RunConfig, module: str, arguments: Sequence[str]) -> list[str]:
    """`accelerate launch` of a Python module with its arguments, by what `config` says of the processes."""
    assert config.launch is not None
    options = options_of(config)
    if config.launch.accelerate_config is None:
        threads = max(1, (os.cpu_count() or 1) // config.processes)
        options += ["--main_process_port", "0"]
        options += ["--num_cpu_threads_per_process", os.environ.get("OMP_NUM_THREADS") or str(threads)]
    return [*ACCELERATE, *options, "--module", module, *arguments]


def in_words(command: Sequence[str]) -> str:
    """As a person would type it."""
    return shlex.join(["accelerate", "launch", *command[len(ACCELERATE) :]])
