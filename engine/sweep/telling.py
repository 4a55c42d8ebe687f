"""A sweep as a page and the command line are told of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from engine.errors import StoreError
from engine.events import ALIVE
from engine.store import Run, Store
from engine.sweep.drawing import Past
from engine.sweep.space import Space
from engine.sweep.study import FAULT, NOISE_FOUND, Counts, Study, Trial

JSON = dict[str, Any]

OF_THE_LOSS = frozenset({"model", "task", "loss", "trainer", "training.label_smoothing_factor"})
"""Fields that change what is minimised; so do those of `data`, and `loss_normalization` in a training loss."""


def told(
    study: Study,
    space: Space,
    store: Store,
    *,
    held: dict[int, float],
    workers: int,
    place: str,
    shares: Callable[[list[Past]], dict[str, float] | None],
) -> JSON:
    """As `Sweeps.state` says.

    `held`: the trials under way and since when; `place`: of this program's runs; `shares` tells the importance of each
    field from the trials that are done.
    """
    known = study.trials(space)
    trials = known + [Trial(number, {}, {}, None, None) for number in range(len(known), space.planned)]
    noted = study.noted()
    done = [trial for trial in trials if trial.outcome]
    now = time.time()
    # a worker keeps the claims of what it has done
    left = {trial.number for trial in trials if trial.outcome is None}
    under_way = {number: max(0.0, now - began) for number, began in held.items() if number in left}
    fault = noted.get(FAULT)
    state = "working" if workers else "done" if len(done) == space.planned else "failed" if fault else "stopped"
    best = best_of(trials)
    return finite(
        {
            "study": study.name,
            "state": state,
            "fault": None if state == "done" else fault,
            "method": space.spec.method,
            "fields": space.to_dict(),
            "effective_batch": space.spec.effective_batch,
            "learning_rate_scaling": space.spec.learning_rate_scaling,
            "spec": study.spec.to_dict(),
            "config": study.config,
            "metric": space.metric,
            "planned": space.planned,
            "done": len(done),
            "seconds": sum(trial.outcome.took for trial in done if trial.outcome) + sum(under_way.values()),
            "eta": _eta(trials, under_way, workers),
            "trials": [_trial(trial, store, place, space, trial.number in held) for trial in trials],
            "best": best and {"trial": best.number, "values": best.values, "value": _value(best)},
            "importance": shares([trial.past(running=False) for trial in done]),
            "left_out": space.left_out,
            "unlike": unlike(space),
            "noise": _noise(space, noted.get(NOISE_FOUND)),
        }
    )


def unlike(space: Space) -> list[str]:
    """The fields that change what the loss is a mean of, or over: the lowest of such trials says little."""
    of_training = {"loss_normalization"} if space.metric == "loss" else set()
    return [key for key in space.fields if key in OF_THE_LOSS | of_training or key.split(".")[0] == "data"]


def in_short(study: Study, counts: Counts, planned: int, *, working: bool) -> JSON:
    """As `Sweeps.studies` says."""
    stopped = "failed" if study.broken_off else "stopped"
    return finite(
        {
            "study": study.name,
            "state": "working" if working else "done" if counts.done == planned else stopped,
            "planned": planned,
            "done": counts.done,
            "best_value": counts.best_value,
            "created": study.created,
        }
    )


def best_of(trials: Sequence[Trial]) -> Trial | None:
    """The finished one of the lowest value, of equal ones the first."""
    finished = [trial for trial in trials if trial.outcome and trial.outcome.state == "finished"]
    return min(finished, key=_value, default=None)


def _value(trial: Trial) -> float:
    assert trial.outcome and trial.outcome.value is not None, "a finished trial has a value"
    return trial.outcome.value


def _eta(trials: Sequence[Trial], under_way: dict[int, float], workers: int) -> float | None:
    """Seconds until the last trial ends, if those to come take as long as those done did, in the mean."""
    took = [trial.outcome.took for trial in trials if trial.outcome]
    if not took or not workers:
        return None
    mean = fmean(took)
    waiting = sum(1 for trial in trials if trial.outcome is None and trial.number not in under_way)
    begun = sum(max(0.0, mean - seconds) for seconds in under_way.values())
    return (waiting * mean + begun) / workers


def _trial(trial: Trial, store: Store, place: str, space: Space, held: bool) -> JSON:
    number = trial.run[1] if trial.run and trial.run[0] == place else None
    told: JSON = {
        "trial": trial.number,
        "run": number,
        "state": "running" if held else "waiting",
        "values": trial.values,
        "learning_rate": space.learning_rate_of(trial.values),
        "value": None,
        "code": "",
        "message": "",
        "remedy": "",
        "reasons": {},
        "updates": 0,
        "seconds": 0.0,
        "peak_bytes": None,
        "predicted_bytes": None,
        "unpredicted": None,
        "targets_per_second": None,
    }
    if trial.outcome:
        told |= {name: getattr(trial.outcome, name) for name in told if hasattr(trial.outcome, name)}
    elif held and (run := _run(store, number)) and run.state in ALIVE:
        told |= {"updates": run.update, "seconds": run.seconds}
    return told


def _run(store: Store, number: int | None) -> Run | None:
    """None where it has gone."""
    if number is None:
        return None
    try:
        return store.run(number)
    except StoreError:
        return None


def _noise(space: Space, found: JSON | None) -> JSON | None:
    if not space.spec.noise:
        return None
    return found or {"state": "waiting"}


def finite(told: JSON) -> JSON:
    """Without numbers that JSON has no word for."""
    return {key: _finite(each) for key, each in told.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return finite(value)
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
