"""What a sweep is: which fields take which values, by what method, and what is kept the same meanwhile."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from engine.config.explain import checked, raised
from engine.config.part import Part, WholeNumber
from engine.config.run import beside, overridden, read
from engine.config.training import shown, unknown_key
from engine.errors import ConfigError

Method = Literal["grid", "random", "tpe"]
RateScaling = Literal["none", "linear", "square-root"]

EFFECTIVE_BATCH = "effective_batch"
"""Among the fields of a sweep: examples an update, whatever the micro-batch; no key of a run."""

MOST_TRIALS = 1000
MOST_FIELDS = 20

_RANGE = ("from", "to", "log", "step", "count")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`. `log`: evenly by their logarithms. `step` apart, or `count` of them, where set."""

    low: int | float
    high: int | float
    log: bool = False
    step: int | float | None = None
    count: int | None = None

    @property
    def integer(self) -> bool:
        """Whether it is whole numbers alone."""
        return isinstance(self.low, int) and isinstance(self.high, int) and isinstance(self.step, int | None)

    @property
    def points(self) -> list[int | float] | None:
        """The numbers that a grid takes: None where there is no end of them."""
        if self.count is not None:
            return self._spaced(self.count)
        step = self.step if self.step is not None else 1 if self.integer and not self.log else None
        if step is None:
            return None
        number = self._steps(self.high, step) + 1
        return [self._at(place, step) for place in range(min(number, MOST_TRIALS + 1))]

    @property
    def size(self) -> int | None:
        """How many numbers may be drawn from it: None where there is no end of them."""
        if not self.integer and self.step is None:
            return None
        return self._steps(self.high, self.step or 1) + 1

    @property
    def drawn(self) -> list[int | float]:
        """These numbers, as they are drawn."""
        return [self._at(place, self.step or 1) for place in range(self.size or 0)]

    def nearest(self, value: float) -> int | float:
        """The last number of the range that is not above `value`, where it has a `step`."""
        assert self.step is not None, "only then it has numbers to choose from"
        return self._at(self._steps(value, self.step), self.step)

    def to_dict(self) -> dict[str, Any]:
        values = {"from": self.low, "to": self.high, "log": self.log, "step": self.step, "count": self.count}
        return {name: value for name, value in values.items() if value is not None and value is not False}

    def _steps(self, value: float, step: int | float) -> int:
        return math.floor((value - self.low) / step + 1e-6)

    def _at(self, place: int, step: int | float) -> int | float:
        # in decimal, as it was written: three times 0.1 is 0.3
        found = Decimal(str(self.low)) + place * Decimal(str(step))
        return int(found) if self.integer else float(found)

    def _spaced(self, count: int) -> list[int | float]:
        shares = [place / (count - 1) for place in range(count)]
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            found = [math.exp(low + share * (high - low)) for share in shares]
        else:
            found = [self.low + share * (self.high - self.low) for share in shares]
        found[0], found[-1] = self.low, self.high
        return list(dict.fromkeys(round(each) if self.integer else _tidy(each) for each in found))


class SweepSpec(Part):
    """All of a sweep beside the config that it starts from. Make one by `from_dict`: it raises ConfigError alone."""

    method: Method = "grid"
    """`grid`: every combination once. `random`: drawn. `tpe`: drawn where the better trials so far lie."""
    trials: WholeNumber = Field(default=12, ge=1, le=MOST_TRIALS)
    """How many are drawn; a grid has as many as it has."""
    fields: dict[str, Any]
    """Dotted key → a list of values, or a `Range` (`{from, to, log, step, count}`)."""
    effective_batch: WholeNumber | None = Field(default=None, ge=1, le=2**31 - 1)
    """Examples an update of every trial: the steps follow from the micro-batch."""
    leave_out: bool = False
    """Leaves out what can't keep the effective batch. False: says so, and nothing starts."""
    learning_rate_scaling: RateScaling = "none"
    """How a trial's learning rate follows its effective batch, from that of the config."""
    updates: WholeNumber | None = Field(default=None, ge=1, le=2**31 - 1)
    """Updates of every trial in place of the config's, whose warm-up and evaluations shrink or stretch with them."""
    length: Literal["updates", "examples"] = "updates"
    """What all trials have the same number of where `training.max_steps` is set: updates as it says, or examples."""
    prune: bool = False
    """Stops a trial that is worse than half of the others at the same share of its way."""
    noise: bool = False
    """Estimates the gradient noise of the config before the first trial."""
    seed: WholeNumber = Field(default=0, ge=0, le=2**32 - 1)
    """Of what is drawn. That of the training is the config's own."""

    @field_validator("fields", mode="before")
    @classmethod
    def _fields(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        try:
            if not 0 < len(value) <= MOST_FIELDS:
                raise ConfigError("sweep.no-fields", field="fields", most=MOST_FIELDS)
            return {str(key): _values(f"fields.{key}", each) for key, each in value.items()}
        except ConfigError as error:
            raise raised(error) from None

    @model_validator(mode="after")
    def _together(self) -> SweepSpec:
        for key, values in self.fields.items():
            if self.method == "grid" and isinstance(values, Range) and values.points is None:
                raise raised(ConfigError("sweep.endless", field=f"fields.{key}"))
        plan = [key for key in PLAN_KEYS if key in self.fields]
        if self.effective_batch is not None and EFFECTIVE_BATCH in plan:
            raise raised(ConfigError("sweep.effective-twice", field=EFFECTIVE_BATCH))
        if (self.effective_batch is not None or EFFECTIVE_BATCH in plan) and {MICRO_BATCH, STEPS} <= set(plan):
            raise raised(ConfigError("sweep.two-plans", field=f"fields.{STEPS}"))
        return self

    @classmethod
    def from_dict(cls, values: Any) -> SweepSpec:
        """A checked spec. Raises ConfigError about the first wrong key in the order of `values`."""
        if not isinstance(values, Mapping):
            raise ConfigError("sweep.none", field="sweep")
        try:
            return checked(cls, values, values)
        except ConfigError as error:
            others = {name: value for name, value in error.values.items() if name != "field"}
            raise ConfigError(error.code, field=f"sweep.{error.field}", **others) from None

    @classmethod
    def load(cls, path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> SweepSpec:
        """What stands under `sweep` in a config file. Raises ConfigError, also where nothing does.

        A relative file among its values is looked for beside it first, as one of the config.
        """
        values = read(path)
        spec = cls.from_dict(overridden(values, overrides).get("sweep") if isinstance(values, Mapping) else None)
        folder = Path(path).resolve().parent
        fields = {
            key: [beside(folder, key, value) for value in each] if isinstance(each, list) else each
            for key, each in spec.fields.items()
        }
        return spec.model_copy(update={"fields": fields})

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` reads back as an equal spec."""
        fields = {key: each.to_dict() if isinstance(each, Range) else list(each) for key, each in self.fields.items()}
        return {**self.model_dump(exclude_none=True), "fields": fields}


MICRO_BATCH, STEPS = "training.per_device_train_batch_size", "training.gradient_accumulation_steps"
LEARNING_RATE, PROCESSES = "training.learning_rate", "launch.processes"
MAX_STEPS, EPOCHS = "training.max_steps", "training.num_train_epochs"
PLAN_KEYS = (MICRO_BATCH, STEPS, PROCESSES, EFFECTIVE_BATCH)
"""The fields that say how many examples an update has, in how many micro-batches."""


def _values(place: str, value: Any) -> list[Any] | Range:
    if isinstance(value, Range):
        return value
    if isinstance(value, Mapping):
        return _range(place, value)
    if not isinstance(value, list | tuple):
        raise ConfigError("sweep.values", field=place, value=shown(value))
    if not 0 < len(value) <= MOST_TRIALS:
        raise ConfigError("sweep.no-values", field=place, most=MOST_TRIALS)
    said: set[str] = set()
    for each in value:
        text = json.dumps(each, default=str, sort_keys=True)
        if text in said:
            raise ConfigError("sweep.same-value", field=place, value=shown(each))
        said.add(text)
    return list(value)


def _range(place: str, values: Mapping[Any, Any]) -> Range:
    for key in values:
        if key not in _RANGE:
            raise unknown_key(f"{place}.{key}", str(key), _RANGE)
    for key in ("from", "to"):
        if key not in values:
            raise ConfigError("sweep.half-a-range", field=place, key=key)
    low, high = (_number(f"{place}.{key}", values[key]) for key in ("from", "to"))
    log, step, count = values.get("log", False), values.get("step"), values.get("count")
    if not isinstance(log, bool):
        raise ConfigError("config.true-or-false", field=f"{place}.log", value=shown(log))
    if not low < high:
        raise ConfigError("sweep.range-ends", field=place, low=shown(low), high=shown(high))
    if log and low <= 0:
        raise ConfigError("sweep.range-log", field=place, low=shown(low))
    if step is not None and (log or count is not None):
        raise ConfigError("sweep.range-step", field=f"{place}.step")
    if step is not None:
        step = _number(f"{place}.step", step)
        if step <= 0:
            raise ConfigError("config.above-zero", field=f"{place}.step", value=shown(step))
    if count is not None:
        count = _number(f"{place}.count", count)
        if not isinstance(count, int) or not 2 <= count <= MOST_TRIALS:
            raise ConfigError("sweep.range-count", field=f"{place}.count", value=shown(count), most=MOST_TRIALS)
    return Range(low, high, log, step, count)


def _number(place: str, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError("config.number", field=place, value=shown(value))
    return value


def _tidy(value: float) -> int | float:
    """Without the last digits that only arithmetic has left."""
    return value if isinstance(value, int) else float(f"{value:.6g}")
