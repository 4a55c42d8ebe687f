"""What the sweep asks the program for: the questions that are ready, what a start would do, and a study as it goes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from statistics import fmean
from typing import Any

from fastapi import Response

from engine import Run, RunConfig, Store, Sweeps, SweepSpec, check_named, training_rows
from gui.answers import Asked, ServerFunction, answer
from gui.faults import words_of

Answer = dict[str, Any]

PLAN = (
    "effective_batch",
    "launch.processes",
    "training.per_device_train_batch_size",
    "training.gradient_accumulation_steps",
)
"""The fields that say how many examples an update has, in how many micro-batches."""

LIST_AGE = 3.0
"""Seconds that one reading of the list of studies serves every viewer."""


def server_functions(sweeps: Sweeps, store: Store) -> list[ServerFunction]:
    listing = _Listing(sweeps)

    def sweep_presets(request: Any) -> Response:
        """`{config}` → `{presets}`: by name, as specifications."""
        return answer(lambda: {"state": "done", "presets": sweeps.presets(_config(Asked(request)))})

    def sweep_check(request: Any) -> Response:
        """`{config, spec}` → `{trials, plans, left_out, seconds}` of what a start would do, or `{fault}`."""
        return answer(lambda: _check(sweeps, store, Asked(request)))

    def sweep_start(request: Any) -> Response:
        """`{config, spec}` → `{study}`, or `{fault}`."""
        return answer(lambda: listing.after(lambda: _start(sweeps, Asked(request))))

    def sweep_stop(request: Any) -> Response:
        """`{study}` → `{}`, or `{fault}`: the trial under way is stopped, and the sweep can go on later."""
        return answer(lambda: listing.after(lambda: _done(sweeps.stop, Asked(request))))

    def sweep_go_on(request: Any) -> Response:
        """`{study}` → `{}`, or `{fault}`."""
        return answer(lambda: listing.after(lambda: _done(sweeps.go_on, Asked(request))))

    def sweep_state(request: Any) -> Response:
        """`{study}` → `{studies, working, state}`: that study, or the newest where `study` is null."""
        return answer(lambda: _state(sweeps, listing, Asked(request)))

    def sweep_settings(request: Any) -> Response:
        """`{study, trial}` → `{config}`: the settings of a trial, for the form."""
        return answer(lambda: _settings(sweeps, Asked(request)))

    return [sweep_presets, sweep_check, sweep_start, sweep_stop, sweep_go_on, sweep_state, sweep_settings]


def _config(asked: Asked) -> RunConfig:
    """Raises ConfigError. What only the command line may ask for is refused by the session."""
    config = RunConfig.from_dict(asked.plain("config"))
    check_named(config)
    return config


def _spec(asked: Asked) -> SweepSpec:
    return SweepSpec.from_dict(asked.plain("spec"))


def _start(sweeps: Sweeps, asked: Asked) -> Answer:
    return {"study": sweeps.start(_config(asked), _spec(asked))}


def _done(act: Callable[[str], None], asked: Asked) -> Answer:
    act(asked.text("study"))
    return {}


def _settings(sweeps: Sweeps, asked: Asked) -> Answer:
    trial = asked.number("trial")
    return {"config": sweeps.settings(asked.text("study"), -1 if trial is None else trial).to_dict()}


# ---- what a start would do ----


def _check(sweeps: Sweeps, store: Store, asked: Asked) -> Answer:
    config, spec = _config(asked), _spec(asked)
    plan = sweeps.plan(config, spec)
    own = {"micro_batch": config.micro_batch, "accumulation_steps": config.accumulation_steps}
    own |= {"effective_batch": config.micro_batch * config.accumulation_steps * config.processes}
    drawn = spec.method != "grid" and (spec.effective_batch or any(key in spec.fields for key in PLAN))
    trials = plan["trials"] or [{**own, "max_steps": spec.updates or config.setting("max_steps")}]
    return {
        "state": "done",
        "trials": plan["planned"],
        "plans": [] if drawn else sorted({tuple(trial[part] for part in own) for trial in trials}),
        "left_out": plan["left_out"],
        "seconds": _seconds(store, config, trials, plan["planned"]),
    }


def _seconds(store: Store, config: RunConfig, trials: list[Answer], planned: int) -> float | None:
    """What the trials would take, by the newest run of the same model on the same data; None where there is none.

    `trials` are all of them, or one that stands for all.
    """
    known = next((run for run in (store.current_run(), store.last_set_up()) if run and _alike(run, config)), None)
    if known is None:
        return None
    rows = training_rows(config.data, config.task, seed=config.seed) or 0
    epochs = float(config.setting("num_train_epochs"))
    each = [t["max_steps"] * t["effective_batch"] if t["max_steps"] > 0 else epochs * rows for t in trials]
    took = (known.ended or 0.0) - (known.started or 0.0)
    return float(fmean(each)) * planned * took / known.total_examples or None


def _alike(run: Run, config: RunConfig) -> bool:
    ours = config.to_dict()
    same = all(run.config.get(key) == ours[key] for key in ("model", "data"))
    return same and bool(run.started and run.ended and run.total_examples)


# ---- a study ----


class _Listing:
    """The list of studies. To read it takes a count of all trials, and who watches one asks twice a second."""

    def __init__(self, sweeps: Sweeps) -> None:
        self._sweeps = sweeps
        self._lock = threading.Lock()
        self._studies: list[Answer] = []
        self._read = -math.inf

    def studies(self) -> list[Answer]:
        """The newest first, at most `LIST_AGE` seconds old."""
        with self._lock:
            if time.monotonic() - self._read > LIST_AGE:
                self._studies = self._sweeps.studies()
                self._read = time.monotonic()
            return self._studies

    def after(self, work: Callable[[], Answer]) -> Answer:
        """Does what changes the list."""
        try:
            return work()
        finally:
            with self._lock:
                self._read = -math.inf


def _state(sweeps: Sweeps, listing: _Listing, asked: Asked) -> Answer:
    studies = {each["study"]: each["state"] for each in listing.studies()}
    study = asked.text("study") or next(iter(studies), None)
    state = None if study is None else sweeps.state(study)
    if state:
        studies[state["study"]] = state["state"]
    return {
        "studies": [{"study": study, "state": state} for study, state in studies.items()],
        "working": "working" in studies.values(),
        "state": state and _told(state),
    }


def _told(state: Answer) -> Answer:
    """The state with faults that the browser can put into words."""
    fault = state["fault"]
    return {
        **state,
        "fault": fault and _fault(fault, fault["values"]),
        "trials": [
            {
                **each,
                "fault": _fault(each, each["reasons"]) if each["code"] else None,
                "unpredicted": each["unpredicted"] and _fault(each["unpredicted"], each["unpredicted"]["values"]),
            }
            for each in state["trials"]
        ],
    }


def _fault(told: Answer, values: Answer) -> Answer:
    message, remedy = words_of(told["code"], values)
    return {
        "code": told["code"],
        "values": values,
        "message": told["message"] or message,
        "remedy": told["remedy"] or remedy,
    }
