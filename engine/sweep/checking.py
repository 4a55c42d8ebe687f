"""Whether a sweep can be as it is asked for: what is wrong is told before anything starts."""

from __future__ import annotations

import json
from itertools import product
from math import gcd, lcm, prod
from typing import Any

from engine.checks import check
from engine.config import RunConfig, training_fields
from engine.config.run import with_value
from engine.config.sweep import EFFECTIVE_BATCH, EPOCHS, MAX_STEPS, MOST_TRIALS, PLAN_KEYS
from engine.config.training import check_training, shown
from engine.errors import ConfigError
from engine.sweep.space import MOST_PLANS, Space, whole


def check_space(space: Space, *, own_code: bool = False) -> None:
    """Makes the run of every combination of a grid, else of the ends and listed values, and looks at each.

    Raises ConfigError, as `Session.submit` would.
    """
    _check_length(space)
    _check_twice(space)
    check_examples(space)
    known: set[str] = set()
    for values in space.tried():
        config = space.config_of(values)
        # of most numbers nothing is looked at, and to read the data again takes long
        choices = {
            name: value
            for name, value in config.training.items()
            if name == "seed" or isinstance(value, bool) or not isinstance(value, int | float)
        }
        plain = {**config.to_dict(), "training": choices, "accumulates": config.accumulation_steps > 1}
        text = json.dumps(plain, sort_keys=True)
        if text not in known:
            known.add(text)
            check(config, own_code=own_code)


def _check_length(space: Space) -> None:
    """Where all trials are as long, no field may say how long: they would differ in name alone."""
    for key in (MAX_STEPS, EPOCHS) if space.spec.updates is not None else ():
        if key in space.fields:
            raise ConfigError("sweep.length-twice", field=f"sweep.fields.{key}")


def _check_twice(space: Space) -> None:
    """Whether a field holds a value twice, however it is written: 4 and 4.0 are one size of a batch."""
    for key, values in space.fields.items():
        said: set[str] = set()
        for value in values if isinstance(values, list) else ():
            text = json.dumps(_written(_taken(space, key, value)), default=str, sort_keys=True)
            if text in said:
                raise ConfigError("sweep.same-value", field=f"sweep.fields.{key}", value=shown(value))
            said.add(text)


def _taken(space: Space, key: str, value: Any) -> Any:
    """As the field takes it; what it does not take is told by the config's own check."""
    if key == EFFECTIVE_BATCH:
        return whole(value) or value
    try:
        if key.startswith("training."):
            name = key.removeprefix("training.")
            return check_training({name: value}) if name in training_fields() else value
        return RunConfig.from_dict(with_value(space.base.to_dict(), key.split("."), value)).to_dict()
    except ConfigError:
        return value


def check_examples(space: Space) -> None:
    """Whether every trial can see exactly as many examples. Raises ConfigError about the first that can't."""
    if space.spec.length != "examples":
        return
    keys = [key for key in (*PLAN_KEYS, MAX_STEPS) if key in space.fields]
    lists = [space.listed(key) for key in keys]
    if prod(map(len, lists)) > MOST_PLANS:
        raise ConfigError("sweep.too-many", field="sweep.fields", most=MOST_TRIALS)
    found = []
    for each in product(*lists):
        values = dict(zip(keys, each, strict=True))
        plan = space.plan_of(values)
        steps = space.spec.updates or whole(values.get(MAX_STEPS, space.base.setting("max_steps")))
        # a wrong value is told by the config's own check, and epochs hold the same examples for all
        if plan and steps and plan[0] and plan[1]:
            found.append((plan[0] * plan[1] * space.processes_of(values), steps))
    # so many updates of the config's own batch, and multiples of them, hold whole updates of every batch
    unit = lcm(*(batch // gcd(batch, space.own_batch) for batch, _ in found))
    for batch, steps in found:
        if steps * space.own_batch % batch:
            below = steps // unit * unit
            raise ConfigError(
                "sweep.uneven-examples",
                field="sweep.updates" if space.spec.updates else MAX_STEPS,
                batch=batch,
                examples=steps * space.own_batch,
                near=f"{below} / {below + unit}" if below else str(unit),
            )


def _written(value: Any) -> Any:
    """With every whole number in one way."""
    if isinstance(value, dict):
        return {str(key): _written(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_written(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
