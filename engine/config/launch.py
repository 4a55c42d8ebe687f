"""In how many processes a run goes: a number on this machine, or a file of `accelerate config`."""

from __future__ import annotations

from pydantic import Field, model_validator

from engine.config.accelerate_file import MOST_PROCESSES
from engine.config.explain import raised
from engine.config.part import Part, Text, WholeNumber
from engine.errors import ConfigError


class LaunchSpec(Part):
    """Exactly one of the two. The file is read when the number of processes is asked for, never before."""

    processes: WholeNumber | None = Field(default=None, ge=1, le=MOST_PROCESSES)
    """Processes on this machine, a device each."""
    accelerate_config: Text | None = None
    """A file as `accelerate config` writes it: also for several machines, and for FSDP."""

    @model_validator(mode="after")
    def _one_of_both(self) -> LaunchSpec:
        if self.processes is None and self.accelerate_config is None:
            raise raised(ConfigError("launch.neither", field="launch"))
        if self.processes is not None and self.accelerate_config is not None:
            raise raised(ConfigError("launch.both", field="launch.accelerate_config"))
        return self
