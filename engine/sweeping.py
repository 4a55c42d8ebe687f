"""A sweep on the command line: its trials as they end, with the time that is left, and the best of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from engine.config import RunConfig, SweepSpec
from engine.config.byte_size import size_text
from engine.console import counted, print_json
from engine.ending import end_signals
from engine.errors import StoreError
from engine.sweep import Sweeps

LOOK = 0.5
"""Seconds between looks at the study."""

OF_A_TRIAL = (
    *("trial", "state", "values", "learning_rate", "value", "run", "code"),
    *("peak_bytes", "predicted_bytes", "targets_per_second"),
)

LOSS = {"eval_loss": "evaluation loss", "loss": "training loss"}


def sweep_here(
    sweeps: Sweeps,
    config: RunConfig,
    spec: SweepSpec,
    name: str,
    output: TextIO,
    *,
    joins: bool,
    as_json: bool,
    begun: Callable[[], None],
) -> dict[str, Any]:
    """Works on a sweep until all its trials have ended, and prints them on `output`; returns its last state.

    `joins`: others may be at work on it already. `begun` is called once nothing is wrong with what was asked for.
    Ctrl-C leaves the sweep to go on with another time; a second one leaves at once.
    """
    if not joins and _under_way(sweeps, name):
        raise StoreError("sweep.has-workers", study=name)
    sweeps.start(config, spec, name)
    begun()
    told: set[int] = set()
    leaving = False
    with end_signals(heeded=2) as heard:
        _tell_beginning(sweeps.state(name), output, as_json=as_json)
        at_work = True
        while at_work:
            at_work = sweeps.at_work
            state = sweeps.state(name)
            for trial in state["trials"]:
                if trial["state"] not in ("waiting", "running") and trial["trial"] not in told:
                    told.add(trial["trial"])
                    _tell_trial(trial, state, output, as_json=as_json)
            if len(heard) > 1:
                output.flush()
                os._exit(1)
            if heard and not leaving:
                leaving = True
                print("Leaving the sweep; once more leaves at once.", file=sys.stderr, flush=True)
                sweeps.leave()
            if at_work:
                time.sleep(LOOK)
    _tell_end(state, output, as_json=as_json)
    return state


def _under_way(sweeps: Sweeps, name: str) -> bool:
    return any(each["study"] == name and each["state"] == "working" for each in sweeps.studies())


def _tell_beginning(state: dict[str, Any], output: TextIO, *, as_json: bool) -> None:
    if state["left_out"]:
        left = "; ".join(_values(values) for values in state["left_out"])
        print(f"Note: left out, since it can't make the effective batch: {left}", file=sys.stderr, flush=True)
    if state["unlike"]:
        keys = ", ".join(state["unlike"])
        print(f"Note: {keys} makes losses of other kinds: compare metrics, the lowest says little", file=sys.stderr)
    if not as_json:
        trials = counted(state["planned"], "trial")
        done = f", {state['done']} of them done" if state["done"] else ""
        print(f"sweep {state['study']}: {trials}{done}, by {LOSS[state['metric']]}", file=output, flush=True)


def _tell_trial(trial: dict[str, Any], state: dict[str, Any], output: TextIO, *, as_json: bool) -> None:
    if as_json:
        print_json({name: trial[name] for name in OF_A_TRIAL}, output)
        return
    said = [f"trial {trial['trial']} {trial['state']}", _values(trial["values"])]
    if state["learning_rate_scaling"] != "none" and trial["learning_rate"] is not None:
        said.append(f"trained at {_value(trial['learning_rate'])}")
    if trial["value"] is not None:
        said.append(f"{LOSS[state['metric']]} {trial['value']:.4f}")
    if trial["peak_bytes"] is not None:
        said.append(f"{size_text(trial['peak_bytes'])} at the peak")
    if trial["targets_per_second"] is not None:
        said.append(f"{trial['targets_per_second']:.0f} targets a second")
    if trial["message"]:
        said.append(trial["message"])
    said.append(f"{state['done']} of {state['planned']} done")
    if state["eta"]:
        said.append(f"about {time_text(state['eta'])} left")
    print(" · ".join(said), file=output, flush=True)


def _tell_end(state: dict[str, Any], output: TextIO, *, as_json: bool) -> None:
    best = state["best"]
    if as_json:
        result = {name: state[name] for name in ("study", "state", "planned", "noise", "importance")}
        found = {"best": best and best["values"], "best_value": best and best["value"]}
        print_json({**result, "trials": state["done"], **found}, output)
        return
    if (noise := state["noise"]) and noise.get("scale"):
        print(f"gradient noise scale: about {noise['scale']:.3g} examples", file=output)
    if best:
        loss = f"{LOSS[state['metric']]} {best['value']:.4f}"
        print(f"best: trial {best['trial']} with {_values(best['values'])}: {loss}", file=output)
    else:
        print("No trial has finished.", file=output)
    if state["state"] == "stopped":
        print("The same command goes on with it.", file=output)


def _values(values: dict[str, Any]) -> str:
    return ", ".join(f"{key.removeprefix('training.')} {_value(value)}" for key, value in values.items())


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def time_text(seconds: float) -> str:
    """Seconds in words, as exactly as a guess is: 40 s, 3 min, 2 h 5 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
