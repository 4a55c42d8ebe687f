"""The devices of this machine that a run can go on. torch is loaded at the first question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil

from engine.config import RunConfig
from engine.errors import ConfigError

if TYPE_CHECKING:
    import torch


def devices() -> list[dict[str, Any]]:
    """What is here, the one that a run takes by itself first: `id` as in a config, `name`, and `bytes` in all."""
    return [{"id": name, **_about(name)} for name in _here()]


def device_of(config: RunConfig) -> torch.device:
    """Where a run of `config` goes in this process: what it names, else the first GPU, else the CPU.

    Raises ConfigError `device.missing`, and as `RunConfig.processes`.
    """
    import torch

    here = _here()
    wanted = "cpu" if config.on_cpu else config.device or here[0]
    if wanted == "cuda":
        wanted = "cuda:0"
    if wanted not in here:
        raise ConfigError("device.missing", field="device", value=config.device, here=", ".join(here))
    return torch.device(wanted)


def _here() -> list[str]:
    import torch

    gpus = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    return [*gpus, *(["mps"] if torch.backends.mps.is_available() else []), "cpu"]


def _about(name: str) -> dict[str, Any]:
    import torch

    device = torch.device(name)
    if device.type == "cuda":
        # reading the properties makes no context, which would take memory of every GPU
        found = torch.cuda.get_device_properties(device)
        return {"name": found.name, "bytes": found.total_memory}
    if device.type == "mps":
        return {"name": "MPS", "bytes": int(torch.mps.recommended_max_memory())}
    return {"name": "CPU", "bytes": int(psutil.virtual_memory().total)}
