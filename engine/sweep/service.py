"""Sweeps over a session: they are started, stopped and told here."""

from __future__ import annotations

import platform
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.config import RunConfig, SweepSpec
from engine.errors import StoreError
from engine.store import Store
from engine.sweep.checking import check_space
from engine.sweep.contents import contents_of
from engine.sweep.presets import presets
from engine.sweep.space import Space

if TYPE_CHECKING:
    from engine.session import Session
    from engine.sweep.claims import Claims
    from engine.sweep.drawing import Past
    from engine.sweep.driver import Driver
    from engine.sweep.study import Studies, Study

LEAVING = 60.0
"""Seconds that `close` waits for the trial under way to stop."""


class Sweeps:
    """The sweeps of a home folder. A study is all that is known of one: it outlives the program.

    Any thread may call any method. Optuna is loaded with the first call that needs it.
    """

    def __init__(self, session: Session, store: Store, *, storage: str | None = None, own_code: bool = False) -> None:
        """`storage`: where several machines share their studies, as an address of SQLAlchemy; else in the home folder.

        `own_code`: configs may name Python files to be run, as the command line allows.
        """
        self.session = session
        self.store = store
        self.place = f"{platform.node()}:{store.home}"
        self._storage = storage
        self._own_code = own_code
        self._gate = threading.RLock()
        self._opened: Studies | None = None
        self._driver: Driver | None = None
        self._spaces: dict[str, Space] = {}
        self._claimed: dict[str, Claims] = {}
        self._important: dict[str, tuple[int, dict[str, float] | None]] = {}

    def start(self, config: RunConfig, spec: SweepSpec, name: str = "") -> str:
        """Begins a sweep, a new one without a `name`, and returns the name of its study at once.

        A name that there is already goes on with that study, where its settings are the same.

        Raises:
            ConfigError: the spec or one of its combinations is wrong, or can't keep the effective batch.
            StoreError: a sweep of this program is under way, or there is one of that name with other settings or files.
        """
        space = Space(config, spec)
        check_space(space, own_code=self._own_code)
        # large files are read here, while others may still ask; below their digests are known
        contents_of(space)
        with self._gate:
            self._check_idle()
            study = self._made(config, spec, name)
            study.check_contents(space)
            # where machines share it, the files of its values lie where they do here
            self._spaces[study.name] = space
            self._drive(study, space)
        return study.name

    def stop(self, study: str) -> None:
        """Stops the trial under way as Stop does, in any program; it begins anew where the sweep goes on.

        A sweep that is not under way stays as it is. Raises StoreError: there is no such sweep.
        """
        found = self._study(study)
        with self._gate:
            if self._driver and self._driver.study.name == study:
                self._driver.leave()
        self._claims(found).stop()

    def go_on(self, study: str) -> None:
        """Goes on with a sweep that was stopped, has failed, or whose program has died. Raises as `start`."""
        found = self._study(study)
        space = found.space()
        check_space(space, own_code=self._own_code)
        found.check_contents(space)
        with self._gate:
            self._check_idle()
            self._drive(found, space)

    def studies(self) -> list[dict[str, Any]]:
        """The sweeps, the newest first: `study`, `state`, `planned`, `done`, `best_value`, `created` (unix seconds)."""
        from engine.sweep.study import Counts
        from engine.sweep.telling import in_short

        if not self._exists():
            return []
        studies = self._studies()
        # the workers first, as in `state`
        working = {name for name in studies.entered() if self._claims(studies.study(name)).workers()}
        found, counts = studies.all(), studies.counts()
        return [
            in_short(each, counts.get(each.name, Counts()), self._space(each).planned, working=each.name in working)
            for each in found
        ]

    def presets(self, config: RunConfig) -> dict[str, dict[str, Any]]:
        """Specs as plain values, ready for `SweepSpec.from_dict`: `learning-rate`, `cost` and `effective-batch`."""
        return presets(config)

    def plan(self, config: RunConfig, spec: SweepSpec) -> dict[str, Any]:
        """What a sweep will be: `planned` trials, `left_out` combinations, its `metric`, and of a grid its `trials`.

        Of each of these `values`, `micro_batch`, `accumulation_steps`, `effective_batch`, `learning_rate`, `max_steps`.
        Raises ConfigError as `start`.
        """
        space = Space(config, spec)
        check_space(space, own_code=self._own_code)
        trials = space.plans() if spec.method == "grid" else []
        return {"planned": space.planned, "left_out": space.left_out, "metric": space.metric, "trials": trials}

    def state(self, study: str) -> dict[str, Any]:
        """How far a sweep is, ready for JSON.

            {
              "study": "sweep-1",
              "state": "working",       # working | stopped (also: its program died) | done | failed (not a trial: it)
              "fault": null,            # what ended a worker: {"code", "message", "remedy", "values"}
              "method": "tpe",
              "fields": {"training.learning_rate": {"low": 1e-5, "high": 1e-3, "log": true, "step": null,
                                                    "integer": false},
                         "effective_batch": {"values": [16, 32]}},
              "effective_batch": null,  # examples an update of every trial, where that is fixed
              "learning_rate_scaling": "square-root",
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
                  "learning_rate": 5e-5,    # that it trains with, scaled to its effective batch; null before
                  "value": 0.61,            # of a pruned one where it was stopped
                  "code": "", "message": "", "remedy": "", "reasons": {},  # why, of one that failed or was stopped
                  "updates": 40, "seconds": 19.5,
                  "peak_bytes": 1507000000, # measured: allocated on a GPU, else in use by the whole process
                  "predicted_bytes": null,  # live tensors at the peak, of one that got as far as its plan
                  "unpredicted": {"code": "memory.cannot-predict", "message": "…", "remedy": "…", "values": {…}},  # why
                  "targets_per_second": 812.0  # median update after the warm-up, null in a run of few updates
                }
              ],
              "best": {"trial": 0, "values": {…}, "value": 0.61},   # null before the first finished one
              "importance": {"training.learning_rate": 0.9, "effective_batch": 0.04},  # shares of 1, or null
              "left_out": [{"training.per_device_train_batch_size": 6}],
              "unlike": [],             # fields whose values make losses of other kinds, such as `data.path`
              "noise": null             # or {"state": "waiting"}; "failed" with "code" and "message"; "done" with what
                                        # `engine.noise` found ("scale", "low", "high", "windows"), "run" and "source"
            }

        Raises:
            StoreError: there is no such sweep.
        """
        from engine.sweep.telling import told

        found = self._study(study)
        claims = self._claims(found)
        # the workers first: one that has left since has told its trial before
        workers, held = claims.workers(), claims.held()
        space = self._space(found)
        shares = partial(self._shares, study, space)
        return told(found, space, self.store, held=held, workers=len(workers), place=self.place, shares=shares)

    def settings(self, study: str, trial: int) -> RunConfig:
        """The config of a trial, but as long as the config that its sweep began from: a short trial stands for a whole
        run.

        Raises StoreError: there is no such sweep, or nothing has been drawn for such a trial.
        """
        found = self._study(study)
        space = self._space(found)
        values = next((each.values for each in found.trials(space) if each.number == trial), None)
        if not values:
            raise StoreError("sweep.no-trial", study=study, trial=trial)
        return Space(space.base, space.spec.model_copy(update={"updates": None})).config_of(values)

    @property
    def at_work(self) -> bool:
        """Whether this program works on a sweep."""
        return self._driver is not None and self._driver.alive

    def leave(self) -> None:
        """As `stop`, of this program's worker alone: others go on."""
        with self._gate:
            if self._driver:
                self._driver.leave()

    def close(self) -> None:
        """Leaves the sweep under way as it is, to go on with another time. Idempotent."""
        with self._gate:
            driver, opened = self._driver, self._opened
            self._driver = self._opened = None
        if driver:
            driver.leave()
            driver.join(LEAVING)
        if opened:
            opened.close()

    # ---- studies ----

    def _exists(self) -> bool:
        """Whether there is a storage: who only looks makes none."""
        from engine.sweep.study import FILE

        return self._storage is not None or (self.store.home / FILE).is_file()

    def _studies(self) -> Studies:
        from engine.sweep.study import Studies

        with self._gate:
            if self._opened is None:
                self._opened = Studies(self.store.home, self._storage)
            return self._opened

    def _study(self, name: str) -> Study:
        if not self._exists():
            raise StoreError("sweep.unknown", study=name)
        return self._studies().study(name)

    def _made(self, config: RunConfig, spec: SweepSpec, name: str) -> Study:
        studies = self._studies()
        if not name:
            known = {each.name for each in studies.all()}
            number = len(known) + 1
            while f"sweep-{number}" in known or not studies.create(f"sweep-{number}", config, spec):
                number += 1
            return studies.study(f"sweep-{number}")
        studies.create(name, config, spec)
        study = studies.study(name)
        if not study.answers(config, spec, shared=self._storage is not None):
            raise StoreError("sweep.taken", study=name)
        return study

    def _space(self, study: Study) -> Space:
        """That of a study, which never changes."""
        with self._gate:
            if study.name not in self._spaces:
                self._spaces[study.name] = study.space()
            return self._spaces[study.name]

    def _claims(self, study: Study) -> Claims:
        """Of a study, the same every time: it remembers who has given a sign of life."""
        with self._gate:
            if study.name not in self._claimed:
                self._claimed[study.name] = study.claims(
                    owner=self.store.token, place=self.place, lives=self.store.lives
                )
            return self._claimed[study.name]

    def _shares(self, study: str, space: Space, done: list[Past]) -> dict[str, float] | None:
        """How much each field matters: reckoned anew when another trial is done, and not at every look."""
        from engine.sweep.importance import importance

        known = self._important.get(study)
        if known is None or known[0] != len(done):
            known = self._important[study] = len(done), importance(space, done)
        return known[1]

    def _check_idle(self) -> None:
        if self._driver and self.at_work:
            raise StoreError("sweep.under-way", study=self._driver.study.name)

    def _drive(self, study: Study, space: Space) -> None:
        from engine.sweep.driver import Driver
        from engine.sweep.study import FAULT

        study.note(FAULT, None)
        self._driver = Driver(
            self.session, self.store, study, space, self._claims(study), place=self.place, own_code=self._own_code
        )
