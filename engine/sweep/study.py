"""The studies of a place: Optuna's own storage, in `HOME/studies.sqlite` or wherever several machines share one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import optuna
from filelock import FileLock
from optuna.exceptions import DuplicatedStudyError, OptunaError, UpdateFinishedTrialError
from optuna.storages import BaseStorage, RDBStorage, get_storage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy import column, event, func, select, table
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from engine.config import RunConfig, SweepSpec
from engine.errors import BirikimError, ConfigError, StoreError, reason_of
from engine.sweep import claims
from engine.sweep.contents import check_contents, contents_of
from engine.sweep.drawing import Past, TrialEnd, distributions_of, restored, stored
from engine.sweep.naming import alike
from engine.sweep.outcome import Outcome
from engine.sweep.space import Space, Values

optuna.logging.set_verbosity(optuna.logging.ERROR)

FILE = "studies.sqlite"
LONGEST_NAME = 60
_NAME = re.compile(r"[\w.-]+")

SETTINGS, FAULT, NOISE_FOUND = "birikim", "fault", "noise"
"""What a study carries: its config, spec, time, and digests of its files; why it broke off; the gradient noise."""
RUN, OUTCOME = "run", "outcome"
"""What a trial carries: where its run is, and how it ended."""

OPENING, PATIENCE = 5, 30.0
"""Tries, since two programs may lay out the tables at once; seconds that one waits for another's writing."""

# of Optuna's own tables what a count takes
_studies = table("studies", column("study_id"), column("study_name"))
_trials = table("trials", column("trial_id"), column("study_id"), column("state"))
_values = table("trial_values", column("trial_id"), column("value"))

_ENDS: dict[TrialEnd, TrialState] = {
    "finished": TrialState.COMPLETE,
    "pruned": TrialState.PRUNED,
    "failed": TrialState.FAIL,
    "stopped": TrialState.FAIL,
}


@dataclass(frozen=True)
class Trial:
    """One trial. `run` is where its newest run is, `(home, number)`, `outcome` None as long as it has not ended."""

    number: int
    values: Values
    shares: dict[int, float]
    run: tuple[str, int] | None
    outcome: Outcome | None

    def past(self, *, running: bool) -> Past:
        """As what is drawn next sees it."""
        state: TrialEnd = self.outcome.state if self.outcome else "running" if running else "waiting"
        return Past(self.number, state, self.values, self.outcome.value if self.outcome else None, self.shares)


@dataclass(frozen=True)
class Counts:
    """Of the trials of a study how many are `done`, and the least value of those that have finished."""

    done: int = 0
    best_value: float | None = None


class Studies:
    """All studies of one storage. Every method raises StoreError where it can't be used."""

    def __init__(self, home: Path, url: str | None = None) -> None:
        """Opens or makes the storage: that of `home`, else the one at `url`, as SQLAlchemy writes it."""
        self._shown = str(home / FILE) if url is None else _without_password(url)
        with self.told():
            self.storage, self.engine = _opened(home, url)

    def close(self) -> None:
        self.engine.dispose()

    def all(self) -> list[Study]:
        """The newest first."""
        with self.told():
            found = sorted(self.storage.get_all_studies(), key=lambda study: -study._study_id)
        return [
            Study(self, each.study_name, each._study_id, each.user_attrs)
            for each in found
            if SETTINGS in each.user_attrs
        ]

    def counts(self) -> dict[str, Counts]:
        """Of the trials of every study, by its name; all of them in one reading."""
        asked = (
            select(_studies.c.study_name, _trials.c.state, func.count(), func.min(_values.c.value))
            .join_from(_studies, _trials, _studies.c.study_id == _trials.c.study_id)
            .outerjoin(_values, _values.c.trial_id == _trials.c.trial_id)
            .group_by(_studies.c.study_name, _trials.c.state)
        )
        found: dict[str, Counts] = {}
        with self.told(), self.engine.connect() as db:
            for name, state, number, least in db.execute(asked):
                known = found.setdefault(name, Counts())
                ended = number if TrialState[state].is_finished() else 0
                best = least if state == TrialState.COMPLETE.name else known.best_value
                found[name] = Counts(known.done + ended, best)
        return found

    def entered(self) -> set[str]:
        """The names of those that a worker is at, or was when it died."""
        with self.told():
            return claims.entered(self.engine)

    def create(self, name: str, config: RunConfig, spec: SweepSpec) -> bool:
        """Makes a study, and says whether there was none of that name. Raises ConfigError `sweep.name`."""
        check_name(name)
        with self.told():
            try:
                number = self.storage.create_new_study([StudyDirection.MINIMIZE], name)
                new = True
            except DuplicatedStudyError:
                number = self.storage.get_study_id_from_name(name)
                new = False
            # who made it may have died before it could say what it is
            if SETTINGS not in self.storage.get_study_user_attrs(number):
                settings = {
                    "config": config.to_dict(),
                    "spec": spec.to_dict(),
                    "created": time.time(),
                    "contents": contents_of(Space(config, spec)),
                }
                self.storage.set_study_user_attr(number, SETTINGS, settings)
        return new

    def study(self, name: str) -> Study:
        """Raises StoreError `sweep.unknown`."""
        with self.told():
            try:
                number = self.storage.get_study_id_from_name(name)
            except KeyError:
                raise StoreError("sweep.unknown", study=name) from None
            noted = self.storage.get_study_user_attrs(number)
        if SETTINGS not in noted:
            raise StoreError("sweep.unknown", study=name)
        return Study(self, name, number, noted)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What a database or its driver says, in our words."""
        try:
            yield
        except BirikimError:
            raise
        except (OptunaError, SQLAlchemyError, ImportError, OSError, RuntimeError, ValueError) as problem:
            raise StoreError("sweep.storage", place=self._shown, reason=reason_of(problem)) from problem


class Study:
    """One study: what was asked for, and what is known of its trials."""

    def __init__(self, studies: Studies, name: str, number: int, noted: Mapping[str, Any]) -> None:
        """`noted`: what it carries."""
        settings = noted[SETTINGS]
        self.name = name
        self.broken_off = noted.get(FAULT) is not None
        self.created = float(settings["created"])
        self.config: dict[str, Any] = settings["config"]
        self.spec = SweepSpec.from_dict(settings["spec"])
        # one that was begun before they were kept has none
        self._contents: dict[str, str] | None = settings.get("contents")
        self._studies = studies
        self._number = number
        self._storage = studies.storage
        self._places: dict[int, int] = {}

    def answers(self, config: RunConfig, spec: SweepSpec, *, shared: bool) -> bool:
        """Whether its settings are these; `shared` as of `alike`."""
        own = alike(RunConfig.from_dict(self.config), self.spec, shared=shared)
        return own == alike(config, spec, shared=shared)

    def space(self) -> Space:
        """What it may try."""
        return Space(RunConfig.from_dict(self.config), self.spec)

    def check_contents(self, space: Space) -> None:
        """Whether the files of `space` hold what they did when it began. Raises StoreError `sweep.changed`."""
        if self._contents is not None:
            check_contents(self.name, self._contents, space)

    def claims(self, *, owner: str, place: str, lives: Callable[[str], bool]) -> claims.Claims:
        engine, told = self._studies.engine, self._studies.told
        return claims.Claims(engine, self.name, owner=owner, place=place, lives=lives, told=told)

    def told(self) -> AbstractContextManager[None]:
        return self._studies.told()

    # ---- of the whole ----

    def note(self, name: str, value: Any) -> None:
        """Keeps `FAULT` or `NOISE_FOUND`."""
        with self.told():
            self._storage.set_study_user_attr(self._number, name, value)

    def noted(self) -> dict[str, Any]:
        with self.told():
            return self._storage.get_study_user_attrs(self._number)

    # ---- of its trials ----

    def laid_out(self, planned: int) -> bool:
        return len(self._frozen()) >= planned

    def lay_out(self, planned: int) -> None:
        """Writes the trials down, once for all who work on them."""
        with self.told():
            for _ in range(len(self._frozen()), planned):
                self._storage.create_new_trial(self._number, create_trial(state=TrialState.WAITING))

    def trials(self, space: Space) -> list[Trial]:
        """All of them, in order, as far as they are written down."""
        return [_trial(space, each) for each in self._frozen()[: space.planned]]

    def begin(self, space: Space, number: int, values: Values) -> None:
        """Writes down what a trial tries; what it had begun to write stays."""
        with self.told():
            trial = self._storage.get_trial(self._place(number))
            if trial.state == TrialState.WAITING:
                self._storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING)
            distributions = distributions_of(space)
            for key, value in stored(space, values).items():
                if key not in trial.params:
                    place = distributions[key]
                    self._storage.set_trial_param(trial._trial_id, key, place.to_internal_repr(value), place)

    def set_run(self, number: int, home: str, run: int) -> None:
        with self.told():
            self._storage.set_trial_user_attr(self._place(number), RUN, [home, run])

    def report(self, number: int, share: int, value: float) -> None:
        """The loss of a trial at the end of a part of its way."""
        with self.told():
            self._storage.set_trial_intermediate_value(self._place(number), share, value)

    def tell(self, number: int, outcome: Outcome) -> None:
        """How a trial ended. One that has ended already stays as it is."""
        with self.told(), suppress(UpdateFinishedTrialError):
            trial = self._place(number)
            self._storage.set_trial_user_attr(trial, OUTCOME, asdict(outcome))
            values = None if outcome.value is None else [outcome.value]
            self._storage.set_trial_state_values(trial, _ENDS[outcome.state], values)

    def trial(self, space: Space, number: int) -> Trial:
        """One of them."""
        with self.told():
            return _trial(space, self._storage.get_trial(self._place(number)))

    def _place(self, number: int) -> int:
        """Where a trial lies in the storage; it never moves."""
        if number not in self._places:
            self._places = {trial.number: trial._trial_id for trial in self._frozen()}
        return self._places[number]

    def _frozen(self) -> list[FrozenTrial]:
        with self.told():
            found = self._storage.get_all_trials(self._number, deepcopy=False)
        return sorted(found, key=lambda trial: trial.number)


def check_name(name: str) -> None:
    """Raises ConfigError for what can't be the name of a study, of its runs and in an address."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise ConfigError("sweep.name", field="study", study=name[:LONGEST_NAME], most=LONGEST_NAME)


def _trial(space: Space, trial: FrozenTrial) -> Trial:
    run, told = trial.user_attrs.get(RUN), trial.user_attrs.get(OUTCOME)
    return Trial(
        trial.number,
        space.points[trial.number] if space.spec.method == "grid" else restored(space, trial.params),
        dict(trial.intermediate_values),
        (str(run[0]), int(run[1])) if run else None,
        Outcome(**told) if told and trial.state.is_finished() else None,
    )


def _opened(home: Path, url: str | None) -> tuple[BaseStorage, Any]:
    address = f"sqlite:///{(home / FILE).as_posix()}" if url is None else url
    patient = {"connect_args": {"timeout": PATIENCE}} if make_url(address).get_backend_name() == "sqlite" else {}
    with FileLock(home / "studies.lock", timeout=PATIENCE):
        for left in reversed(range(OPENING)):
            try:
                storage = RDBStorage(address, engine_kwargs=patient)
                if url is None:
                    event.listen(storage.engine, "connect", _quicken)
                    storage.engine.dispose()
                claims.lay_out(storage.engine)
                return get_storage(storage), storage.engine
            except (OptunaError, SQLAlchemyError):
                if not left:
                    raise
                time.sleep(0.2)
    raise AssertionError("the last try returns or raises")


def _quicken(connection: Any, _: Any) -> None:
    """As the store's own file: a commit survives the death of the process, and need not wait for the disk."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _without_password(url: str) -> str:
    with suppress(SQLAlchemyError):
        return make_url(url).render_as_string(hide_password=True)
    return "--storage"
