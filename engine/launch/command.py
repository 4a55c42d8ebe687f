"""The command line that starts the processes of a run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence

from engine.config import RunConfig

ACCELERATE = (sys.executable, "-m", "engine.launch.agent")


def launch_command(config: RunConfig, module: str, arguments: Sequence[str]) -> list[str]:
    """`accelerate launch` of a Python module with its arguments, by what `config` says of the processes."""
    assert config.launch is not None
    if file := config.accelerate_file():
        # of a file for CPUs accelerate would start one process, and with the flag no FSDP
        options = ["--config_file", file.path, *(["--multi_gpu"] if not file.sharded else [])]
    else:
        threads = max(1, (os.cpu_count() or 1) // config.processes)
        # of our own choosing is all but the number: what a person has set up elsewhere changes no run
        options = [
            *("--multi_gpu", "--num_processes", str(config.processes), "--num_machines", "1"),
            *("--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"),
            *("--num_cpu_threads_per_process", os.environ.get("OMP_NUM_THREADS") or str(threads)),
        ]
    return [*ACCELERATE, *options, "--module", module, *arguments]


def in_words(command: Sequence[str]) -> str:
    """As a person would type it."""
    return shlex.join(["accelerate", "launch", *command[len(ACCELERATE) :]])
