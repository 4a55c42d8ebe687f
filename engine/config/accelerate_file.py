"""A file of `accelerate config`: how many processes it starts, on how many machines, and what it says of the run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.config import yaml_text
from engine.config.training import WORDS_FOR_TRUTH, shown
from engine.errors import ConfigError

FIELD = "launch.accelerate_config"

MOST_PROCESSES = 1024

_PLAIN = ("NO", "MULTI_CPU", "MULTI_GPU", "FSDP")
"""What `distributed_type` may be: the same model everywhere, or one whose weights are sharded."""

_ACCUMULATE = ("DEEPSPEED", "MEGATRON_LM", "XLA", "TPU")
"""Kinds that step by a loop of their own."""

_PARTS = ("deepspeed_config", "megatron_lm_config", "parallelism_config", "fp8_config", "mpirun_config")
"""Sections that, filled in, change what a process works through or what starts it."""

_PRECISIONS = ("no", "bf16", "fp16")
_STEPS = "gradient_accumulation_steps"


@dataclass(frozen=True)
class AccelerateFile:
    """What a run depends on of such a file.

    `processes` over all `machines`, of which this one has `machine_rank`. `sharded`: by FSDP, of `fsdp_version`.
    `mixed_precision`, `use_cpu` and `accumulation_steps` are None or False where the file says nothing of them.
    """

    path: str
    processes: int
    machines: int = 1
    machine_rank: int = 0
    sharded: bool = False
    fsdp_version: int | None = None
    mixed_precision: str | None = None
    use_cpu: bool = False
    accumulation_steps: int | None = None

    @property
    def processes_here(self) -> int:
        """Of the processes, those on each machine."""
        return self.processes // self.machines

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> AccelerateFile:
        """What the file at `path` says. Raises ConfigError: there is none, or no run could go by it."""
        said = _Said(path)
        kind = said.kind()
        for part in _PARTS:
            if said.values.get(part):
                raise said.wrong("part", key=part)
        compiled = said.values.get("dynamo_config")
        backend = compiled.get("dynamo_backend") if isinstance(compiled, Mapping) else said.values.get("dynamo_backend")
        if backend is not None and str(backend).upper() != "NO":
            raise said.wrong("compiled", value=shown(backend))
        processes = said.number("num_processes", 1, MOST_PROCESSES)
        if processes is None:
            raise said.wrong("no-processes")
        if kind == "NO" and processes > 1:
            raise said.wrong("one-process", processes=processes)
        machines = said.number("num_machines", 1, MOST_PROCESSES) or 1
        if processes % machines:
            raise said.wrong("machines", processes=processes, machines=machines)
        return cls(
            path=said.path,
            processes=processes,
            machines=machines,
            machine_rank=said.number("machine_rank", 0, machines - 1) or 0,
            sharded=kind == "FSDP",
            fsdp_version=said.fsdp_version() if kind == "FSDP" else None,
            mixed_precision=said.precision(),
            use_cpu=said.yes("use_cpu") or kind == "MULTI_CPU",
            accumulation_steps=said.number(_STEPS, 1, MOST_PROCESSES**3),
        )


class _Said:
    """The values of a file, and what is wrong with them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = str(path)
        values = self._read()
        if not isinstance(values, Mapping):
            raise self.wrong("no-settings")
        self.values = values

    def wrong(self, code: str, **values: Any) -> ConfigError:
        return ConfigError(f"launch.{code}", field=FIELD, path=self.path, **values)

    def _read(self) -> Any:
        path = Path(self.path).expanduser()
        try:
            if not path.is_file():
                raise self.wrong("no-file")
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(yaml_text.LONGEST + 1)
        except UnicodeDecodeError:
            raise self.wrong("no-settings") from None
        except OSError as problem:
            raise self.wrong("unreadable", reason=problem.strerror or str(problem)) from None
        try:
            values = yaml_text.parse(text)
            # by the older YAML of accelerate a bare no is false
            self.to_accelerate = yaml.safe_load(text)
            return values
        except ConfigError as error:
            if (line := error.values.get("line")) is None:
                raise self.wrong("no-settings") from None
            raise self.wrong("syntax", line=line, column=error.values.get("column", 1)) from None
        except (yaml.YAMLError, ValueError, OverflowError):
            # accelerate would read it so, and fail
            raise self.wrong("no-settings") from None

    def kind(self) -> str:
        """`distributed_type`. Raises ConfigError for one that Birikim can't train by."""
        place = self.values.get("compute_environment", "LOCAL_MACHINE")
        if place != "LOCAL_MACHINE":
            raise self.wrong("environment", value=shown(place))
        kind = self.values.get("distributed_type")
        if kind in _ACCUMULATE:
            raise self.wrong("own-accumulation", kind=kind)
        if kind not in _PLAIN:
            raise self.wrong("value", key="distributed_type", value=shown(kind), wanted=", ".join(_PLAIN))
        return str(kind)

    def number(self, key: str, low: int, high: int) -> int | None:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong("value", key=key, value=shown(value), wanted=f"{low} … {high}")
        return value

    def yes(self, key: str) -> bool:
        value = self.values.get(key, False)
        if isinstance(value, str):
            value = WORDS_FOR_TRUTH.get(value.lower(), value)
        if not isinstance(value, bool | None):
            raise self.wrong("value", key=key, value=shown(value), wanted="true, false")
        return bool(value)

    def precision(self) -> str | None:
        value = self.values.get("mixed_precision")
        if value == "no" and self.to_accelerate.get("mixed_precision") is False:
            raise self.wrong("quotes", key="mixed_precision", value="no")
        if value is not None and value not in _PRECISIONS:
            raise self.wrong("value", key="mixed_precision", value=shown(value), wanted=", ".join(_PRECISIONS))
        return value

    def fsdp_version(self) -> int:
        """2. Raises ConfigError for the first version, which is what accelerate takes where none is named."""
        settings = self.values.get("fsdp_config")
        if not isinstance(settings, Mapping) or str(settings.get("fsdp_version")) != "2":
            raise self.wrong("fsdp-version")
        return 2
