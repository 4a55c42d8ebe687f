"""What a sweep may try: the values of its fields, which of them go together, and the run that each makes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from engine.accumulation.plan import Plan
from engine.accumulation.rates import scaled_rate
from engine.config import RunConfig, SweepSpec, training_fields
from engine.config.run import with_value
from engine.config.sweep import (
    EFFECTIVE_BATCH,
    LEARNING_RATE,
    MICRO_BATCH,
    MOST_TRIALS,
    PLAN_KEYS,
    PROCESSES,
    STEPS,
    Range,
)
from engine.config.training import shown
from engine.datasets import training_rows
from engine.errors import ConfigError
from engine.sweep.naming import without_folders

Values = dict[str, Any]
"""Of one trial: field → value."""

IN_UPDATES = ("max_steps", "warmup_steps", "eval_steps", "save_steps", "logging_steps", "eval_delay")
"""Fields of `training` that count updates, where they are 1 or more; `eval_delay` only where `eval_steps` does."""

MOST_PLANS = 10_000


class Space:
    """The fields of a spec over the config that it starts from. Its making raises ConfigError."""

    def __init__(self, base: RunConfig, spec: SweepSpec) -> None:
        self.base = base
        self.spec = spec
        self._own_processes = base.processes
        self.own_batch = base.micro_batch * base.accumulation_steps * self._own_processes
        self.fields: dict[str, list[Any] | Range] = {}
        for key, given in spec.fields.items():
            self.fields[key] = self._settled(key, given)
        self._check_plans()
        if spec.method == "grid" and self.planned > MOST_TRIALS:
            raise ConfigError("sweep.too-many", field="sweep.fields", most=MOST_TRIALS)

    def _settled(self, key: str, given: list[Any] | Range) -> list[Any] | Range:
        """A list, or a range whose numbers are whole only where its ends are and the field counts something."""
        if key.split(".")[0] == "sweep":
            raise ConfigError("config.strange-key", field=f"sweep.fields.{key}", known="model, task, data, training")
        if key.split(".")[0] == "launch" and key != PROCESSES:
            # the effective batch of a trial must be known before any starts
            raise ConfigError("config.strange-key", field=f"sweep.fields.{key}", known=PROCESSES)
        if isinstance(given, list):
            return given
        place = f"sweep.fields.{key}"
        name = key.removeprefix("training.")
        if name != key and name in training_fields():
            kinds = training_fields()[name].kinds & {"int", "float"}
            if not kinds:
                raise ConfigError("sweep.no-number", field=place)
            whole = "float" not in kinds or ("int" in kinds and given.integer)
        else:
            whole = key in PLAN_KEYS or (given.integer and not self._takes(key, given.low + 0.5))
        if whole and not given.integer:
            raise ConfigError("sweep.whole-field", field=place)
        if not whole and given.integer:
            given = Range(float(given.low), float(given.high), given.log, given.step, given.count)
        if self.spec.method == "grid" or given.count is not None:
            points = given.points
            if points is None:
                raise ConfigError("sweep.endless", field=place)
            return list(points)
        return given

    def _takes(self, key: str, value: Any) -> bool:
        try:
            RunConfig.from_dict(with_value(self.base.to_dict(), key.split("."), value))
        except ConfigError:
            return False
        return True

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """Of each listed field its values, as `exact` writes them, and what stands for each in the study.

        It says nothing of folders: machines that share a study have the same files in others.
        """
        found = {}
        for key, values in self.fields.items():
            if isinstance(values, list):
                names = [exact(without_folders(value)) for value in values]
                if len(set(names)) < len(names):
                    names = [f"{place}: {name}" for place, name in enumerate(names)]
                found[key] = dict(zip(map(exact, values), names, strict=True))
        return found

    @cached_property
    def choices(self) -> dict[str, dict[str, Any]]:
        """Of each listed field what stands for each value in the study, and the value."""
        lists = {key: values for key, values in self.fields.items() if isinstance(values, list)}
        return {key: dict(zip(self.texts[key].values(), values, strict=True)) for key, values in lists.items()}

    # ---- what goes together ----

    @property
    def holds_plan(self) -> bool:
        """Whether the effective batch of a trial is given, and its steps or its micro-batch follow."""
        return self.spec.effective_batch is not None or EFFECTIVE_BATCH in self.fields

    def allowed(self, values: Mapping[str, Any]) -> bool:
        """Whether the plan of `values` makes their effective batch."""
        return self.plan_of(values) is not None

    @cached_property
    def left_out(self) -> list[Values]:
        """What can't make the effective batch: combinations of the fields that say the plan."""
        return [values for values in self._plans() if not self.allowed(values)]

    @cached_property
    def allowed_plans(self) -> list[Values]:
        """The combinations of those fields that can; none where the effective batch is not given."""
        return [values for values in self._plans() if self.allowed(values)]

    @cached_property
    def points(self) -> list[Values]:
        """Of a grid, its trials in order: the last field changes first."""
        if prod(size_of(values) or 0 for values in self.fields.values()) > MOST_PLANS:
            raise ConfigError("sweep.too-many", field="sweep.fields", most=MOST_TRIALS)
        return self.combinations()

    def combinations(self) -> list[Values]:
        """Every allowed combination; none where there are more than `MOST_PLANS`, or no end of them."""
        if any(size_of(values) is None for values in self.fields.values()):
            return []
        if prod(size_of(values) or 0 for values in self.fields.values()) > MOST_PLANS:
            return []
        lists = [self.listed(key) for key in self.fields]
        every = (dict(zip(self.fields, values, strict=True)) for values in product(*lists))
        return [values for values in every if self.allowed(values)]

    @cached_property
    def planned(self) -> int:
        """How many trials there will be: no combination is drawn twice while there are others."""
        if self.spec.method == "grid":
            return len(self.points)
        others = [values for key, values in self.fields.items() if not (self.holds_plan and key in PLAN_KEYS)]
        if any(size_of(values) is None for values in others):
            return self.spec.trials
        plans = len(self.allowed_plans) if self.holds_plan else 1
        return min(self.spec.trials, plans * prod(size_of(values) or 0 for values in others))

    def _check_plans(self) -> None:
        if not self.left_out:
            return
        if not self.allowed_plans:
            raise ConfigError("sweep.nothing-left", field="sweep.effective_batch")
        if not self.spec.leave_out:
            first = ", ".join(f"{key.removeprefix('training.')} {value}" for key, value in self.left_out[0].items())
            raise ConfigError(
                "sweep.cannot-divide",
                field="sweep.effective_batch",
                count=len(self.left_out),
                first=first or f"per_device_train_batch_size {self.base.micro_batch}",
            )

    def _plans(self) -> Iterator[Values]:
        """Every combination of the fields that say the plan, where the effective batch is given."""
        if not self.holds_plan:
            return
        keys = [key for key in PLAN_KEYS if key in self.fields]
        lists = [self.listed(key) for key in keys]
        if prod(map(len, lists)) > MOST_PLANS:
            raise ConfigError("sweep.too-many", field="sweep.fields", most=MOST_TRIALS)
        yield from (dict(zip(keys, values, strict=True)) for values in product(*lists))

    def listed(self, key: str) -> list[Any]:
        """All values of a field. Raises ConfigError: there are too many."""
        values = self.fields[key]
        if isinstance(values, list):
            return values
        if (values.size or 0) > MOST_PLANS:
            raise ConfigError("sweep.too-many", field="sweep.fields", most=MOST_TRIALS)
        return list(values.drawn)

    def plan_of(self, values: Mapping[str, Any]) -> tuple[int, int] | None:
        """Rows of a micro-batch and accumulation steps; None where they can't make the effective batch."""
        micro_batch = whole(values.get(MICRO_BATCH, self.base.micro_batch))
        steps = whole(values.get(STEPS, self.base.accumulation_steps))
        wanted = whole(values.get(EFFECTIVE_BATCH, self.spec.effective_batch))
        given = steps if STEPS in values else micro_batch
        if not (wanted and given):
            # nothing is asked for, or a wrong value, which the config's own check tells
            return micro_batch, steps
        other, rest = divmod(wanted, given * self.processes_of(values))
        if rest or not other:
            return None
        return (other, steps) if STEPS in values else (micro_batch, other)

    def processes_of(self, values: Mapping[str, Any]) -> int:
        """In how many processes the trial of `values` goes."""
        return whole(values.get(PROCESSES)) or self._own_processes

    # ---- the run of a trial ----

    def config_of(self, values: Mapping[str, Any]) -> RunConfig:
        """The config of a trial. Raises ConfigError."""
        config = self._with(values)
        training = dict(config.training)
        plan = self.plan_of(values)
        assert plan is not None, "only what is allowed becomes a run"
        if self.holds_plan:
            training["per_device_train_batch_size"], training["gradient_accumulation_steps"] = plan
        effective = plan[0] * plan[1] * config.processes
        if self.spec.learning_rate_scaling != "none":
            rate = float(config.setting(LEARNING_RATE.removeprefix("training.")))
            training["learning_rate"] = scaled_rate(rate, self.own_batch, effective, self.spec.learning_rate_scaling)
        if self.spec.updates is not None:
            if _counts(training):
                training |= _scaled(training, self.spec.updates / self._length(config, training))
            training["max_steps"] = self.spec.updates
        if self.spec.length == "examples":
            training |= _scaled(training, self.own_batch / effective)
        return RunConfig.from_dict({**config.to_dict(), "training": training})

    def _with(self, values: Mapping[str, Any]) -> RunConfig:
        """The config with the values of a trial, before anything follows from them. Raises ConfigError."""
        plain: dict[str, Any] = self.base.to_dict()
        for key, value in values.items():
            if key != EFFECTIVE_BATCH:
                plain = with_value(plain, key.split("."), value)
            elif not whole(value):
                raise ConfigError("config.at-least", field=f"sweep.fields.{key}", low=1, value=shown(value))
        return RunConfig.from_dict(plain)

    def _length(self, config: RunConfig, training: Mapping[str, Any]) -> int:
        """Updates of a trial that is not cut short, before `length` changes them: what its counts are counted in."""
        if (steps := int(config.setting("max_steps"))) > 0:
            return steps
        rows = training_rows(config.data, config.task, seed=config.seed)
        if rows is None:
            raise ConfigError("sweep.unknown-length", field="sweep.updates", keys=", ".join(_counts(training)))
        if self.spec.length != "examples":
            config = RunConfig.from_dict({**config.to_dict(), "training": dict(training)})
        else:
            # how the plan of the trial changes them comes after
            own = {
                "training": {**training, **self._own_plan},
                "launch": self.base.launch and self.base.to_dict()["launch"],
            }
            config = RunConfig.from_dict({**config.to_dict(), **own})
        return max(1, Plan.of(config, rows).updates_total)

    @property
    def _own_plan(self) -> dict[str, int]:
        return {
            "per_device_train_batch_size": self.base.micro_batch,
            "gradient_accumulation_steps": self.base.accumulation_steps,
        }

    def learning_rate_of(self, values: Mapping[str, Any]) -> float | None:
        """The rate that a trial trains with, its effective batch reckoned in; None before its values are drawn."""
        if not values:
            return None
        plain: Any = self.base.to_dict()
        for key, value in values.items():
            plain = with_value(plain, key.split("."), value)
        name = LEARNING_RATE.removeprefix("training.")
        given = plain["training"] if isinstance(plain["training"], Mapping) else {}
        rate = given.get(name, training_fields()[name].default)
        plan = self.plan_of(values)
        if isinstance(rate, bool) or not isinstance(rate, int | float) or plan is None:
            return None
        effective = plan[0] * plan[1] * self.processes_of(values)
        return scaled_rate(float(rate), self.own_batch, effective, self.spec.learning_rate_scaling)

    @cached_property
    def metric(self) -> str:
        """What a trial is judged by: `eval_loss` where all evaluate, else the training `loss`."""
        every = [self._with(values) for values in self.tried()]
        return "eval_loss" if all(config.setting("eval_strategy") != "no" for config in every) else "loss"

    def tried(self) -> list[Values]:
        """Every combination of a grid, else of the ends and the listed values, as many as one can look at."""
        if self.spec.method == "grid":
            return self.points
        ends = {key: [v.low, v.high] if isinstance(v, Range) else v for key, v in self.fields.items()}
        plans = self.allowed_plans
        for key in plans[0] if plans else ():
            ends[key] = [plans[0][key]]
        first = {key: values[0] for key, values in ends.items()}
        if prod(map(len, ends.values())) <= MOST_TRIALS:
            tried = [dict(zip(ends, values, strict=True)) for values in product(*ends.values())]
        else:
            tried = [{**first, key: value} for key, values in ends.items() for value in values]
        return [*tried, *({**first, **values} for values in plans)]

    def plans(self) -> list[dict[str, Any]]:
        """Of every trial of a grid its `values`, and what of its plan follows from them."""
        told = []
        for values in self.points:
            config = self.config_of(values)
            told.append(
                {
                    "values": values,
                    "micro_batch": config.micro_batch,
                    "accumulation_steps": config.accumulation_steps,
                    "effective_batch": config.micro_batch * config.accumulation_steps * config.processes,
                    "learning_rate": config.setting("learning_rate"),
                    "max_steps": config.setting("max_steps"),
                }
            )
        return told

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The fields ready for JSON: of each its `values`, or `low`, `high`, `log`, `step` and `integer`."""
        return {
            key: {"values": values}
            if isinstance(values, list)
            else {"low": values.low, "high": values.high, "log": values.log, "step": values.step}
            | {"integer": values.integer}
            for key, values in self.fields.items()
        }


def _scaled(training: Mapping[str, Any], times: float) -> dict[str, int]:
    """What counts updates, for so many times as many of them; shares of a run are below 1 and stay so."""
    return {name: max(1, round(number * times)) for name, number in _counts(training).items()}


def _counts(training: Mapping[str, Any]) -> dict[str, int | float]:
    """What counts updates."""
    names = [name for name in IN_UPDATES if name != "eval_delay" or training.get("eval_strategy") == "steps"]
    found = {name: training[name] for name in names if training.get(name) is not None}
    return {name: number for name, number in found.items() if number >= 1}


def exact(value: Any) -> str:
    """As text: 1 and true are one value to Python, and a mapping is none to Optuna."""
    return json.dumps(value, sort_keys=True)


def whole(value: Any) -> int:
    """A number above 0; 0 for all else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def size_of(values: list[Any] | Range) -> int | None:
    """None where there is no end of them."""
    return len(values) if isinstance(values, list) else values.size
