"""Which field matters how much: the share of the differences in loss that it explains by itself."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any

from optuna.importance import FanovaImportanceEvaluator
from optuna.samplers import RandomSampler

from engine.sweep.drawing import Past, study_of
from engine.sweep.space import Space

LEAST_OF_GRID = 4
"""Finished trials without which a whole grid tells nothing."""
LEAST_DRAWN = 10
"""Those without which trials that are no whole grid tell nothing: a model of fewer finds what is not there."""
MOST_WEIGHED = 100
"""Trials that such a model is made of at most, evenly spread: it takes longer than in proportion to them."""
SAME = 1e-5
"""Losses no further apart, relative to their mean, are equal but for rounding."""


def importance(space: Space, past: Iterable[Past]) -> dict[str, float] | None:
    """Of each field the variance of its mean losses over the variance of all losses, the largest first.

    What is missing to 1 the fields explain only together. Of a whole grid exact; else by fANOVA (Hutter et al. 2014).
    None of one field, of too few trials, and where all have the same loss.
    """
    finished = [each for each in past if each.state == "finished" and each.value is not None]
    if len(space.fields) < 2 or len(finished) < LEAST_OF_GRID:
        return None
    losses = [each.value for each in finished if each.value is not None]
    if max(losses) - min(losses) <= SAME * abs(fmean(losses)):
        return None
    shares = _of_grid(space, finished, losses)
    if shares is None and len(finished) >= LEAST_DRAWN:
        shares = _modelled(space, finished)
    if shares is None or not all(map(math.isfinite, shares.values())):
        return None
    return dict(sorted(shares.items(), key=lambda each: -each[1]))


def _of_grid(space: Space, finished: list[Past], losses: list[float]) -> dict[str, float] | None:
    """None where the trials are not each combination of their values once."""
    levels = [tuple(json.dumps(each.values[key], sort_keys=True) for key in space.fields) for each in finished]
    each_field = list(zip(*levels, strict=True))
    if len(set(levels)) != len(levels) or len(levels) != math.prod(len(set(one)) for one in each_field):
        return None
    mean = fmean(losses)
    total = math.fsum((loss - mean) ** 2 for loss in losses)
    return {key: _between(field, losses, mean) / total for key, field in zip(space.fields, each_field, strict=True)}


def _between(levels: Iterable[Any], losses: list[float], mean: float) -> float:
    """The sum of squares between the levels of a field."""
    of_level: dict[Any, list[float]] = defaultdict(list)
    for level, loss in zip(levels, losses, strict=True):
        of_level[level].append(loss)
    return math.fsum(len(each) * (fmean(each) - mean) ** 2 for each in of_level.values())


def _modelled(space: Space, finished: list[Past]) -> dict[str, float]:
    weighed = finished[:: math.ceil(len(finished) / MOST_WEIGHED)]
    evaluator = FanovaImportanceEvaluator(n_trees=32, max_depth=16, seed=0)
    found = evaluator.evaluate(study_of(space, weighed, RandomSampler()))
    return {key: float(found.get(key, 0.0)) for key in space.fields}
