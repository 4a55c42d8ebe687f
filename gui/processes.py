"""In how many processes a run goes, between a config and the form: a number of devices, or a file that says it."""

from __future__ import annotations

from typing import Any

from engine import RunConfig
from gui.during import part

Values = dict[str, Any]


def show_processes(config: RunConfig) -> Any:
    """None where a file says it, which is not read for that."""
    return config.launch.processes if config.launch else 1


def write_processes(values: Values, processes: Any) -> None:
    """One process is what a run is unless told, and beside a file it says nothing."""
    _write(values, "processes", None if processes == 1 else processes)


def show_file(config: RunConfig) -> Any:
    return config.launch.accelerate_config if config.launch else None


def write_file(values: Values, file: Any) -> None:
    if part(values, "launch").get("processes") == 1:
        del values["launch"]["processes"]
    _write(values, "accelerate_config", file)


def _write(values: Values, key: str, value: Any) -> None:
    launch = part(values, "launch")
    launch.pop(key, None)
    if value is not None:
        launch[key] = value
    if not launch:
        del values["launch"]
