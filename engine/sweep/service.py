"""Sweeps over a session: they are started, stopped and told here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.config import RunConfig, SweepSpec
from engine.errors import StoreError
from engine.store import Store

if TYPE_CHECKING:
    from engine.session import Session


class Sweeps:
    """The sweeps of a home folder. A study is all that is known of one: it outlives the program."""

    def __init__(self, session: Session, store: Store) -> None:
        self.session = session
        self.store = store
        self._started: dict[str, tuple[RunConfig, SweepSpec]] = {}

    def start(self, config: RunConfig, spec: SweepSpec, name: str = "") -> str:
        """Begins a sweep and returns the name of its study at once.

        Raises:
            ConfigError: the spec or one of its combinations is wrong, or can't keep the effective batch.
            StoreError: a sweep of this program is under way, or there is one of that name with other settings.
        """
        study = name or f"sweep-{len(self._started) + 1}"
        self._started[study] = (config, spec)
        return study

    def stop(self, study: str) -> None:
        """Stops the trial under way as Stop does; it begins anew where the sweep goes on. In any program."""
        self._known(study)

    def go_on(self, study: str) -> None:
        """Goes on with a sweep that was stopped, has failed, or whose program has died. Raises as `start`."""
        self._known(study)

    def studies(self) -> list[dict[str, Any]]:
        """The sweeps, the newest first: `study`, `state`, `planned`, `done`, `best_value`, `created` (unix seconds)."""
        return [{"study": study} for study in self._started]

    def presets(self, config: RunConfig) -> dict[str, dict[str, Any]]:
        """Specs as plain values, ready for `SweepSpec.from_dict`: `learning-rate`, `cost` and `effective-batch`."""
        return {}

    def state(self, study: str) -> dict[str, Any]:
        """How far a sweep is, ready for JSON.

            {
              "study": "sweep-1",
              "state": "working",       # working | stopped (also: its program died) | done | failed (not a trial: it)
              "fault": null,            # of a sweep that failed: {"code", "message", "remedy", "values"}
              "method": "tpe",
              "fields": {"training.learning_rate": {"low": 1e-5, "high": 1e-3, "log": true, "step": null,
                                                    "integer": false},
                         "effective_batch": {"values": [16, 32]}},
              "effective_batch": null,  # examples an update of every trial, where that is fixed
              "learning_rate_scaling": "sqrt",
              "spec": {…},              # all of it, as `SweepSpec.to_dict`
              "config": {…},            # what it starts from
              "metric": "eval_loss",    # what `value` is: the last evaluation's loss, or `loss`, the last update's
              "planned": 12,
              "done": 3,                # of these: finished, pruned, failed and stopped ones
              "seconds": 61.0,          # that its trials have taken
              "eta": 183.0,             # seconds, null where nobody knows
              "trials": [
                {
                  "trial": 0, "run": 7,     # null before its run begins, or where it ran in another home
                  "state": "finished",      # waiting | running | finished | pruned | failed | stopped (by someone)
                  "values": {"training.learning_rate": 1e-4, "effective_batch": 16},  # {} before they are drawn
                  "value": 0.61,            # of a pruned one where it was stopped
                  "code": "", "message": "",  # why, of one that failed
                  "updates": 40, "seconds": 19.5,
                  "peak_bytes": 1507000000, # measured: allocated on a GPU, else resident of the whole process
                  "predicted_bytes": null,  # live tensors at the peak, where that was predicted
                  "targets_per_second": 812.0  # median update after the warm-up, null in a run of few updates
                }
              ],
              "best": {"trial": 0, "values": {…}, "value": 0.61},   # null before the first finished one
              "importance": {"training.learning_rate": 0.9, "effective_batch": 0.1},  # shares of 1, or null
              "left_out": [{"training.per_device_train_batch_size": 6}],
              "noise": null             # or {"state": "working"}; "done": what `engine.noise` found, and its "source"
            }

        Raises:
            StoreError: there is no such sweep.
        """
        config, spec = self._known(study)
        return {
            "study": study,
            "state": "stopped",
            "fault": None,
            "method": spec.method,
            "fields": {},
            "effective_batch": spec.effective_batch,
            "learning_rate_scaling": spec.learning_rate_scaling,
            "spec": spec.to_dict(),
            "config": config.to_dict(),
            "metric": "eval_loss",
            "planned": spec.trials,
            "done": 0,
            "seconds": 0.0,
            "eta": None,
            "trials": [],
            "best": None,
            "importance": None,
            "left_out": [],
            "noise": None,
        }

    def _known(self, study: str) -> tuple[RunConfig, SweepSpec]:
        if study not in self._started:
            raise StoreError("sweep.unknown", study=study)
        return self._started[study]
