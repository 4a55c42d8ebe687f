"""What a run is: `RunConfig`, the same in a YAML file, on the page, and in a saved run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from engine.config import yaml_text
from engine.config.accelerate_file import AccelerateFile
from engine.config.byte_size import bytes_of, checked_size
from engine.config.data import DataConfig
from engine.config.device import checked_device
from engine.config.early_stopping import EarlyStopping
from engine.config.explain import checked, raised
from engine.config.freezing import Freeze, checked_freeze
from engine.config.launch import LaunchSpec
from engine.config.library import training_fields
from engine.config.lora import LoraSpec
from engine.config.part import Part, Text, WholeNumber
from engine.config.samples import SamplesSpec
from engine.config.secrets import HIDDEN, holds_secret, masked
from engine.config.training import check_training
from engine.errors import ConfigError

_OWN_CODE = re.compile(r".+\.py:[^\W\d]\w*")

READ_ELSEWHERE = frozenset({"sweep"})
"""Keys that are for another command, and that a run ignores."""


class RunConfig(Part):
    """All of a run. Make one by `load`, `from_yaml`, `from_dict` or `default`: they raise ConfigError alone."""

    model: Text
    task: Text
    data: DataConfig
    samples: SamplesSpec | None = None
    """What the model says of the same few texts every n updates, kept as a timeline."""
    loss_normalization: Literal["exact", "mean-of-means", "trainer"] = "exact"
    training: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments for TrainingArguments, only those that the user set.

    `auto_find_batch_size` is ours: a window that does not fit is done again, from the same weights and with the same
    rows, in micro-batches of half the size, and the run goes on with these. `report_to` tells tensorboard, wandb or
    trackio of the run: one name, a list, or all that are installed.
    """
    window_order: Literal["sorted", "random"] | None = None
    """How a window's rows are dealt. None: sorted by length where that changes nothing but the padding."""
    micro_batch_tokens: WholeNumber | None = Field(default=None, ge=1, le=2**31 - 1)
    """Deals a window by this many positions a micro-batch, padding included, in place of a number of rows."""
    packing: bool = False
    """Lays the rows of a micro-batch end to end, without padding."""
    lora: LoraSpec | None = None
    """Trains adapters in place of the model's own weights."""
    freeze: Annotated[Freeze | None, BeforeValidator(checked_freeze)] = None
    """Weights that stay as they are: `encoder`, or patterns over the names of parameters. None: all are trained."""
    quantization: Literal["8bit", "4bit"] | None = None
    """Loads the weights in so many bits, by bitsandbytes; only adapters beside them can be trained."""
    device: Annotated[str | None, BeforeValidator(checked_device)] = None
    """Where the run goes: cpu, cuda, such as cuda:1, or mps. None: the first GPU where one is here, else the CPU."""
    launch: LaunchSpec | None = None
    """In how many processes, each on a device of its own. None: in this one."""
    memory_budget: Annotated[int | str | None, BeforeValidator(lambda value: _size(value, "memory_budget"))] = None
    """What a run may take of its device: 8GiB, 500MB or bytes. Imposed where the device has more. None: all of it."""
    early_stopping: EarlyStopping | None = None
    """Ends the run once evaluations have stopped getting better. Needs `training.eval_strategy`."""
    loss: Text | None = None
    """A loss of the user's own, as `file.py:function`. From the command line alone."""
    trainer: Text | None = None
    """A Trainer subclass of the user's own, as `file.py:Class`. From the command line alone."""

    @model_validator(mode="after")
    def _together(self) -> RunConfig:
        if self.packing and self.task != "text-generation":
            raise raised(ConfigError("config.packing-task", field="packing", task=self.task))
        self._check_weights()
        for key in ("loss", "trainer"):
            value = getattr(self, key)
            if value is not None and not _OWN_CODE.fullmatch(value):
                raise raised(ConfigError("config.own-code", field=key, value=value))
            if value is not None and self.loss_normalization == "mean-of-means":
                raise raised(ConfigError("config.own-normalization", field="loss_normalization", key=key))
        if self.early_stopping and self.setting("eval_strategy") == "no":
            raise raised(ConfigError("config.stops-by-evaluation", field="early_stopping"))
        if self.data.streaming and int(self.setting("max_steps")) <= 0:
            raise raised(ConfigError("data.stream-steps", field="training.max_steps"))
        if self.halves and self.loss_normalization != "exact":
            way = self.loss_normalization
            raise raised(ConfigError("config.halving-way", field="training.auto_find_batch_size", way=way))
        return self

    def _check_weights(self) -> None:
        """What is trained, of what, and where: three keys that may contradict others."""
        if self.freeze is not None and self.lora is not None:
            raise raised(ConfigError("config.freeze-lora", field="freeze"))
        if self.quantization is not None and self.lora is None:
            raise raised(ConfigError("config.quantization-lora", field="quantization"))
        if self.device not in (None, "cpu") and self.setting("use_cpu"):
            raise raised(ConfigError("config.device-cpu", field="device", value=self.device))

    @field_validator("training", mode="before")
    @classmethod
    def _training(cls, value: Any) -> Any:
        if not isinstance(value, Mapping | None):
            return value
        try:
            return check_training(value or {})
        except ConfigError as error:
            raise raised(error) from None

    @classmethod
    def from_dict(cls, values: Any, overrides: Sequence[str] = ()) -> RunConfig:
        """A checked config. `overrides` are `KEY=VALUE` texts: a dotted key, a YAML value.

        Raises ConfigError about the first wrong key in the order of `values`.
        """
        if not isinstance(values, Mapping):
            raise ConfigError("config.not-a-mapping")
        merged = overridden(values, overrides)
        _check_tellable(merged)
        return checked(cls, merged, {key: value for key, value in merged.items() if key not in READ_ELSEWHERE})

    @classmethod
    def from_yaml(cls, text: str, overrides: Sequence[str] = ()) -> RunConfig:
        """As `from_dict`, from YAML text."""
        return cls.from_dict(yaml_text.parse(text), overrides)

    @classmethod
    def load(cls, path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> RunConfig:
        """As `from_yaml`, from a file. A relative file or model folder is looked for beside it first."""
        return cls.from_dict(read(path), overrides)._beside(Path(path).resolve().parent)

    @classmethod
    def default(cls) -> RunConfig:
        """What a fresh home folder trains at the first press of Start: some two minutes on two cores."""
        return cls.from_dict(
            {
                "model": "minilm",
                "task": "text-classification",
                "data": {"name": "stdlib-docstrings", "max_length": 128},
                "training": {
                    "per_device_train_batch_size": 8,
                    "gradient_accumulation_steps": 4,
                    "learning_rate": 3e-4,
                    "max_steps": 40,
                    "warmup_steps": 4,
                    "eval_strategy": "steps",
                    "eval_steps": 10,
                    "seed": 42,
                },
                "samples": {"every": 10, "rows": 4},
            }
        )

    def setting(self, name: str) -> Any:
        """The value of a TrainingArguments field: the user's, else the library's default."""
        return self.training.get(name, training_fields()[name].default)

    @property
    def micro_batch(self) -> int:
        """Rows of a micro-batch, on each device."""
        return int(self.setting("per_device_train_batch_size"))

    @property
    def accumulation_steps(self) -> int:
        """Micro-batches of a window, on each device."""
        return int(self.setting("gradient_accumulation_steps"))

    @property
    def processes(self) -> int:
        """Processes that share each window, over all machines. Raises ConfigError where a file says it, as `read`."""
        if file := self.accelerate_file():
            return file.processes
        return self.launch.processes or 1 if self.launch else 1

    @property
    def launched(self) -> bool:
        """Whether processes of its own are started for the run."""
        return self.launch is not None and (self.launch.accelerate_config is not None or self.processes > 1)

    @property
    def on_cpu(self) -> bool:
        """Whether it is told to go on the CPU, where a file may say so too. Raises ConfigError as `processes`."""
        if self.device == "cpu" or self.setting("use_cpu"):
            return True
        file = self.accelerate_file()
        return file is not None and file.use_cpu

    def accelerate_file(self) -> AccelerateFile | None:
        """What the file says that `launch` names, read now; None where it names none. Raises ConfigError."""
        named = self.launch.accelerate_config if self.launch else None
        return None if named is None else AccelerateFile.read(named)

    def in_one_process(self, processes: int | None = None) -> RunConfig:
        """The same windows in one process: with the micro-batches of all as its own.

        `processes`: how many they were, where that is known. Raises ConfigError as `processes` where it is not.
        """
        if self.launch is None:
            return self
        steps = {"gradient_accumulation_steps": self.accumulation_steps * (processes or self.processes)}
        return self.model_copy(update={"launch": None, "training": {**self.training, **steps}})

    @property
    def halves(self) -> bool:
        """Whether a micro-batch that does not fit is halved, and its window done again."""
        return bool(self.setting("auto_find_batch_size"))

    @property
    def memory_budget_bytes(self) -> int | None:
        return None if self.memory_budget is None else bytes_of(self.memory_budget)

    @property
    def seed(self) -> int:
        return int(self.setting("seed"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` reads back as an equal config; what is unset is left out."""
        values = self.model_dump(exclude_none=True)
        if not self.packing:
            del values["packing"]
        if self.data.hub is None:
            del values["data"]["split"]
        if not self.data.streaming:
            del values["data"]["streaming"]
        return {**values, "training": dict(self.training)}  # in there, null is a value

    def to_yaml(self) -> str:
        return yaml_text.dump(self.to_dict())

    def _beside(self, folder: Path) -> RunConfig:
        data = {key: beside(folder, f"data.{key}", getattr(self.data, key)) for key in ("path", "validation")}
        changes = {key: beside(folder, key, getattr(self, key)) for key in ("model", "loss", "trainer")}
        if self.launch:
            named = beside(folder, "launch.accelerate_config", self.launch.accelerate_config)
            changes["launch"] = self.launch.model_copy(update={"accelerate_config": named})
        return self.model_copy(update={**changes, "data": self.data.model_copy(update=data)})


def beside(folder: Path, key: str, value: Any) -> Any:
    """The `value` of a dotted key of a config; with the folder, where it names a file or a model that lies there."""
    if key in ("data", "launch") and isinstance(value, Mapping):
        return {name: beside(folder, f"{key}.{name}", each) for name, each in value.items()}
    if not isinstance(value, str) or not value:
        return value
    if key in ("data.path", "data.validation", "launch.accelerate_config") and (folder / value).exists():
        return str(folder / value)
    if key == "model" and ("/" in value or value.startswith(".")) and (folder / value).is_dir():
        return str(folder / value)
    if key in ("loss", "trainer"):
        path, _, name = value.rpartition(":")
        if path and (folder / path).is_file():
            return f"{folder / path}:{name}"
    return value


def _size(value: Any, field: str) -> int | str | None:
    try:
        return checked_size(value, field)
    except ConfigError as error:
        raise raised(error) from None


def default_home() -> Path:
    """The home folder where none is named: BIRIKIM_HOME, else `~/.birikim`."""
    return Path(os.environ.get("BIRIKIM_HOME") or "~/.birikim").expanduser()


def read(path: str | os.PathLike[str]) -> Any:
    """What a YAML file holds, as plain values. Raises ConfigError."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError("config.no-file", path=str(path)) from None
    except IsADirectoryError:
        raise ConfigError("config.is-folder", path=str(path)) from None
    except UnicodeDecodeError:
        raise ConfigError("config.not-text", path=str(path)) from None
    except OSError as error:
        raise ConfigError("config.unreadable", path=str(path), reason=error.strerror or str(error)) from None
    return yaml_text.parse(text)


def overridden(values: Mapping[Any, Any], overrides: Sequence[str]) -> dict[Any, Any]:
    """`values` with `KEY=VALUE` texts put in, each a dotted key and a YAML value. Raises ConfigError."""
    result = dict(values)
    for override in overrides:
        key, equals, text = override.partition("=")
        parts = [part.strip() for part in key.split(".")]
        if not equals or not all(parts):
            raise ConfigError("config.override", override=masked(override))
        try:
            result = with_value(result, parts, yaml_text.parse(text))
        except ConfigError:
            raise ConfigError("config.override", override=masked(override)) from None
    return result


def with_value(values: Mapping[Any, Any], key: Sequence[str], value: Any) -> dict[Any, Any]:
    """A copy of `values` in which the `key`, one part a level, has another value."""
    first, *rest = key
    if rest:
        inner = values.get(first)
        value = with_value(inner if isinstance(inner, Mapping) else {}, rest, value)
    return {**values, first: value}


def _check_tellable(value: Any, path: tuple[str, ...] = ()) -> None:
    """Whether every reader can be told the values: text that is no Unicode, and numbers beyond 64 bits, are refused."""
    match value:
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ConfigError("config.broken-text", field=".".join(path)) from None
            if holds_secret(value):
                raise ConfigError("config.secret", field=masked(".".join(path)) or HIDDEN)
        case int() if abs(value) >= 2**63:
            raise ConfigError(
                "config.at-most", field=".".join(path), value=f"a number of {value.bit_length()} bits", high=2**63 - 1
            )
        case Mapping():
            for key, inner in value.items():
                _check_tellable(str(key), path)
                _check_tellable(inner, (*path, str(key)))
        case list() | tuple():
            for inner in value:
                _check_tellable(inner, path)
