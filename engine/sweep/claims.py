"""Who works on which trial: two tables beside Optuna's own, in the same database.

Optuna counts trials, but where two workers ask at once it may hand one out twice. Here a row is a claim, and its key is
the trial and the attempt at it: of two workers that write the same key the database lets one. A claim of a worker that
has died is followed by the next attempt.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

LAYING_OUT, NOISE = -1, -2
"""What is claimed beside the trials, whose numbers begin at 0."""

GRACE = 60.0
"""Seconds without a sign of life after which a worker elsewhere is held for dead; one on this home is known by its
lock."""

_tables = MetaData()

_workers = Table(
    "birikim_workers",
    _tables,
    Column("worker", String(32), primary_key=True),
    Column("study", String(200), nullable=False, index=True),
    Column("owner", String(32), nullable=False),
    Column("place", String(500), nullable=False),
    Column("beats", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
)

_claims = Table(
    "birikim_claims",
    _tables,
    Column("study", String(200), primary_key=True),
    Column("task", Integer, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("worker", String(32), nullable=False),
    Column("began", Float, nullable=False),
)


def lay_out(engine: Engine) -> None:
    """Makes the tables where they are missing."""
    _tables.create_all(engine)


def entered(engine: Engine) -> set[str]:
    """The studies that a worker is at, or was when it died."""
    with engine.connect() as db:
        return set(db.execute(select(_workers.c.study).distinct()).scalars())


class Claims:
    """Those of one study, seen from one program.

    `owner` is its token, `place` its home, and `lives` tells of the token of any program on that home whether it lives.
    What a database says is raised as `told` puts it.
    """

    _living: set[str] = set()  # noqa: RUF012 (shared on purpose: the workers of this program that have not left)

    def __init__(
        self,
        engine: Engine,
        study: str,
        *,
        owner: str,
        place: str,
        lives: Callable[[str], bool],
        told: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._engine = engine
        self._study = study
        self._owner = owner
        self._place = place
        self._lives = lives
        self._told = told
        self._beats: dict[str, tuple[int, float]] = {}

    # ---- of a worker ----

    def enter(self) -> str:
        """Begins as a worker; its name is for the calls below."""
        worker = uuid.uuid4().hex
        self._living.add(worker)
        row = {"worker": worker, "study": self._study, "owner": self._owner, "place": self._place}
        with self._writing() as db:
            db.execute(insert(_workers).values(**row, beats=0, stop=0))
        return worker

    def leave(self, worker: str) -> None:
        """Ends as a worker: what it had claimed and not done is free."""
        self._living.discard(worker)
        with self._writing() as db:
            db.execute(delete(_workers).where(_workers.c.worker == worker))

    def beat(self, worker: str) -> bool:
        """Gives a sign of life; whether it may go on: somebody may have stopped the sweep."""
        mine = _workers.c.worker == worker
        with self._writing() as db:
            db.execute(update(_workers).where(mine).values(beats=_workers.c.beats + 1))
            return not db.execute(select(_workers.c.stop).where(mine)).scalar()

    def claim(self, worker: str, task: int) -> bool:
        """Whether `task` is the worker's from now on: nobody has it, or who had it has died.

        It may have been done meanwhile, which is to be looked at afterwards.
        """
        latest = self._latest().get(task)
        if latest and self._alive(latest[1]):
            return False
        row = {"study": self._study, "task": task, "attempt": latest[0] + 1 if latest else 1}
        with self._told():
            try:
                with self._engine.begin() as db:
                    db.execute(insert(_claims).values(**row, worker=worker, began=time.time()))
            except IntegrityError:
                return False
        return True

    # ---- of anyone ----

    def held(self) -> dict[int, float]:
        """The tasks that a living worker has → since when, in unix seconds."""
        alive = set(self.workers())
        return {task: began for task, (_, worker, began) in self._latest().items() if worker in alive}

    def workers(self) -> list[str]:
        """Those that are alive."""
        with self._told(), self._engine.connect() as db:
            found = db.execute(select(_workers.c.worker).where(_workers.c.study == self._study)).scalars().all()
        return [worker for worker in found if self._alive(worker)]

    def stop(self) -> None:
        """Asks every worker to leave."""
        with self._writing() as db:
            db.execute(update(_workers).where(_workers.c.study == self._study).values(stop=1))

    def clear_away(self) -> None:
        """Removes the workers that have died."""
        with self._told(), self._engine.connect() as db:
            found = db.execute(select(_workers.c.worker).where(_workers.c.study == self._study)).scalars().all()
        for worker in found:
            if not self._alive(worker):
                with self._writing() as db:
                    db.execute(delete(_workers).where(_workers.c.worker == worker))

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._told(), self._engine.begin() as db:
            yield db

    def _latest(self) -> dict[int, tuple[int, str, float]]:
        """Of each task that was ever claimed the last attempt, by whom, and since when."""
        columns = (_claims.c.task, _claims.c.attempt, _claims.c.worker, _claims.c.began)
        order = select(*columns).where(_claims.c.study == self._study).order_by(_claims.c.attempt)
        with self._told(), self._engine.connect() as db:
            return {task: (attempt, worker, began) for task, attempt, worker, began in db.execute(order)}

    def _alive(self, worker: str) -> bool:
        columns = (_workers.c.owner, _workers.c.place, _workers.c.beats)
        with self._told(), self._engine.connect() as db:
            row = db.execute(select(*columns).where(_workers.c.worker == worker)).one_or_none()
        if row is None:
            return False
        owner, place, beats = row
        if owner == self._owner:
            return worker in self._living
        if place == self._place:
            return self._lives(owner)
        seen, since = self._beats.get(worker, (-1, 0.0))
        now = time.monotonic()
        if beats != seen:
            self._beats[worker] = (beats, now)
            return True
        return now - since < GRACE
