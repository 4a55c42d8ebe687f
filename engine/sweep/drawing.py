"""What Optuna decides: the values of the next trial, and whether one is stopped early.

Each is asked of a study in memory that holds what is known so far, in the order of the trials, and its generator is
seeded by the number of the trial. So an answer depends on the trials before, and on nothing that a process remembers:
a sweep that was killed and goes on draws what one that never stopped would have drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from engine.config.sweep import Range
from engine.sweep.space import Space, Values, exact

optuna.logging.set_verbosity(optuna.logging.ERROR)

TrialEnd = Literal["waiting", "running", "finished", "pruned", "failed", "stopped"]

TELLING: frozenset[TrialEnd] = frozenset({"running", "finished", "pruned", "failed"})
"""Trials that say something of where to go next; one that somebody stopped, or that waits, says nothing."""

ATTEMPTS = 50
"""Draws until one is allowed and new."""

DRAWN_FIRST = (4, 10)
"""Trials that TPE draws at random before it learns from them: a third of all, between these."""

SHARES = 10
"""A run's way is cut into so many parts; trials are compared at the end of each."""
WATCHED_FROM = 2
"""The part at whose end a trial may be stopped first: before it is still warming up."""
COMPARED_WITH = 4
"""Trials that must have finished, with a loss at that part, before one is stopped."""


@dataclass(frozen=True)
class Past:
    """A trial as far as it is known. `shares`: end of a part of its way → the loss there."""

    number: int
    state: TrialEnd
    values: Values
    value: float | None = None
    shares: Mapping[int, float] = field(default_factory=dict)


def distributions_of(space: Space) -> dict[str, BaseDistribution]:
    return {
        key: CategoricalDistribution(list(space.choices[key])) if isinstance(values, list) else _distribution(values)
        for key, values in space.fields.items()
    }


def draw(space: Space, number: int, past: Iterable[Past]) -> Values:
    """The values of trial `number` after the trials of `past`: an allowed combination, a new one where there is one."""
    if space.spec.method == "grid":
        return space.points[number]
    begun = sorted((each for each in past if each.values), key=lambda each: each.number)
    tried = {_text(each.values) for each in begun}
    seed = _seed(space.spec.seed, number)
    study = study_of(space, [each for each in begun if each.state in TELLING], _sampler(space, seed))
    found: Values | None = None
    for _ in range(ATTEMPTS):
        trial = study.ask(distributions_of(space))
        values = _drawn(space, trial.params)
        # what is not taken must not count as being tried
        study.tell(trial, state=TrialState.FAIL)
        if space.allowed(values):
            found = values
            if _text(values) not in tried:
                return values
    return _left_over(space, tried, seed) or found or _some_allowed(space, seed)


def stops(past: Iterable[Past], shares: Mapping[int, float]) -> bool:
    """Whether a trial that has come as far as `shares` is worse there than the median of the finished ones there.

    What it was before does not count: one that has gone astray is stopped. What is not a number is worse than any loss.
    """
    last = max(shares, default=0)
    others = [_loss(each.shares[last]) for each in past if each.state == "finished" and last in each.shares]
    if last < WATCHED_FROM or len(others) < COMPARED_WITH:
        return False
    return math.isnan(shares[last]) or _loss(shares[last]) > median(others)


def _loss(value: float) -> float:
    return math.inf if math.isnan(value) else value


def stored(space: Space, values: Values) -> dict[str, Any]:
    """`values` as the parameters of an Optuna trial."""
    return {
        key: space.texts[key][exact(values[key])] if isinstance(listed, list) else values[key]
        for key, listed in space.fields.items()
    }


def restored(space: Space, parameters: Mapping[str, Any]) -> Values:
    """As they were; {} where not all are there."""
    if not space.fields.keys() <= parameters.keys():
        return {}
    return {
        key: space.choices[key][parameters[key]] if isinstance(listed, list) else parameters[key]
        for key, listed in space.fields.items()
    }


def _distribution(values: Range) -> BaseDistribution:
    if values.integer:
        step = int(values.step or 1)
        low, last = int(values.low), int(values.high)
        return IntDistribution(low, low + (last - low) // step * step, values.log, step)
    high = values.high if values.step is None else values.nearest(values.high)
    return FloatDistribution(float(values.low), float(high), values.log, values.step)


def _drawn(space: Space, parameters: Mapping[str, Any]) -> Values:
    """The values that are drawn as these parameters."""
    return {
        key: space.choices[key][parameters[key]] if isinstance(values, list) else _plain(values, parameters[key])
        for key, values in space.fields.items()
    }


def _plain(values: Range, drawn: Any) -> Any:
    if values.integer:
        return int(drawn)
    if values.step is not None:
        return float(values.nearest(drawn))
    # four digits say as much, and can be read
    return min(max(float(f"{drawn:.4g}"), float(values.low)), float(values.high))


def _sampler(space: Space, seed: int) -> BaseSampler:
    if space.spec.method == "random":
        return RandomSampler(seed)
    least, most = DRAWN_FIRST
    return TPESampler(n_startup_trials=max(least, min(most, space.planned // 3)), seed=seed)


def study_of(space: Space, known: Iterable[Past], sampler: BaseSampler) -> Study:
    """What is known, as Optuna holds it, in memory."""
    study = optuna.create_study(sampler=sampler)
    study.add_trials([_frozen(space, each) for each in known])
    return study


def _frozen(space: Space, past: Past) -> FrozenTrial:
    # to TPE a trial that was stopped early, and without a value, is the worst there is: it must not go there again
    state = {"finished": TrialState.COMPLETE, "running": TrialState.RUNNING}.get(past.state, TrialState.PRUNED)
    return create_trial(
        state=state,
        value=past.value if state == TrialState.COMPLETE else None,
        params=stored(space, past.values),
        distributions=distributions_of(space),
        intermediate_values=dict(past.shares) if past.state in ("finished", "pruned") else {},
    )


def _left_over(space: Space, tried: set[str], seed: int) -> Values | None:
    """One of the last combinations that nobody has tried, where their number has an end that is near."""
    every = space.combinations()
    left = [values for values in every if _text(values) not in tried]
    return left[int(np.random.default_rng(seed).integers(len(left)))] if left else None


def _some_allowed(space: Space, seed: int) -> Values:
    """Where draws keep missing the few plans that make the effective batch: one of them, and the rest as drawn."""
    generator = np.random.default_rng(seed)
    study = study_of(space, [], RandomSampler(seed))
    trial = study.ask(distributions_of(space))
    values = _drawn(space, trial.params)
    plans = space.allowed_plans
    return {**values, **plans[int(generator.integers(len(plans)))]}


def _seed(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _text(values: Values) -> str:
    return exact(values)
