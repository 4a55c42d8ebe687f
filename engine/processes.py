"""What a config asks of several processes, told before any of them is started."""

from __future__ import annotations

from engine.config import AccelerateFile, RunConfig
from engine.config.accelerate_file import FIELD
from engine.environment import started_together
from engine.errors import ConfigError
from engine.trust import page_is_own


def check_processes(config: RunConfig, *, own_files: bool = False) -> None:
    """Whether the processes that `config` asks for can share its run. Reads the file that it names, if it may.

    `own_files`: it comes from the command line, where a config may name any file.

    Raises:
        ConfigError: as `AccelerateFile.read` and `started_together`, where the file and the config contradict each
            other, and for what several processes can't have.
    """
    started = started_together()
    if config.launch is None:
        return
    check_named(config, own_files=own_files)
    file = config.accelerate_file()
    if file:
        _check_together(config, file)
        if file.machine_rank and not started:
            raise ConfigError("launch.not-first", field=FIELD, path=file.path, machine=file.machine_rank)
    processes = file.processes if file else config.processes
    if processes == 1:
        return
    if config.halves:
        raise ConfigError("launch.halves", field="training.auto_find_batch_size", processes=processes)
    if config.device and ":" in config.device:
        raise ConfigError("launch.one-device", field="device", value=config.device, processes=processes)
    if not config.on_cpu:
        _check_gpus(config, file.processes_here if file else processes, FIELD if file else "launch.processes")


def shown_processes(config: RunConfig) -> int:
    """How many a page shows, before anything is checked: 1 where a file can't be read, or may not be named."""
    try:
        check_named(config)
        return config.processes
    except ConfigError:
        return 1


def check_named(config: RunConfig, *, own_files: bool = False) -> None:
    """Whether `config` may name the file that says its processes, if it does; nothing is read. Raises ConfigError."""
    if config.launch and config.launch.accelerate_config is not None and not (own_files or page_is_own()):
        raise ConfigError("launch.elsewhere", field=FIELD)


def _check_together(config: RunConfig, file: AccelerateFile) -> None:
    ours = next((kind for kind in ("bf16", "fp16") if config.setting(kind)), "no")
    if file.mixed_precision not in (None, "no", ours):
        shown = "fp32" if ours == "no" else ours
        raise ConfigError("launch.precision", field=FIELD, path=file.path, value=file.mixed_precision, ours=shown)
    if file.accumulation_steps not in (None, config.accumulation_steps):
        steps = {"value": file.accumulation_steps, "ours": config.accumulation_steps}
        raise ConfigError("launch.accumulation", field=FIELD, path=file.path, **steps)
    if file.use_cpu and config.device not in (None, "cpu"):
        raise ConfigError("launch.cpu", field=FIELD, path=file.path, value=config.device)


def _check_gpus(config: RunConfig, processes: int, field: str) -> None:
    """Whether there is a GPU here for each of the `processes`, where they go on GPUs."""
    from engine.place import device_of, devices

    kind = device_of(config).type
    if kind == "mps" and processes > 1:
        raise ConfigError("launch.mps", field=field, processes=processes)
    gpus = sum(each["id"].startswith("cuda:") for each in devices())
    if kind == "cuda" and processes > gpus:
        raise ConfigError("launch.too-few-gpus", field=field, processes=processes, gpus=gpus)
