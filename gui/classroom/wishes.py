"""Students' experiments: checked, queued, and run one at a time whenever the teacher's own work is done."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from engine import ALIVE, ASIDE, BirikimError, Session, Store
from gui.classroom.preset import MOST_WAITING, Refused, Wish
from gui.turns import busy

KEPT = 5
"""Experiments of one head that it can come back to; the models of all are dropped as each ends."""
MOST_KEPT = 200

State = Literal["waiting", "running", "finished", "stopped", "failed"]


@dataclass
class Experiment:
    """One wish and what has become of it. `again`: it gave way to the teacher's run and begins anew afterwards.

    `turn`: how many of the same place were open when it came. A browser may pass for many heads, but not for many
    addresses: of two that wait, the one with the lower turn comes first.
    """

    number: int
    head: str
    wish: Wish
    place: str
    turn: int
    state: State = "waiting"
    run: int | None = None
    again: bool = False


class Wishes:
    """Holds the queue. The session has one of them at most, and only while nothing of the teacher's is alive."""

    def __init__(self, session: Session, store: Store) -> None:
        self._session = session
        self._store = store
        self._lock = threading.RLock()
        self._all: list[Experiment] = []
        self._number = 0
        self.allowed = False

    def add(self, plain: Any, head: str, place: str) -> None:
        """Queues what a head wishes for, from the address `place`; in a full queue the last in turn gives way.

        Raises Refused: not allowed, not within the bounds, or too many.
        """
        wish = Wish.of(plain)
        with self._lock:
            if not self.allowed:
                raise Refused("class.refused.closed")
            if any(each.head == head and _open(each) for each in self._all):
                raise Refused("class.refused.one")
            queue = self._queue()
            turn = sum(each.place == place for each in queue)
            if len(queue) >= MOST_WAITING:
                if queue[-1].turn <= turn or queue[-1].state == "running":
                    raise Refused("class.refused.full", most=MOST_WAITING)
                self._end(queue[-1])
            self._number += 1
            self._all.append(Experiment(self._number, head, wish, place, turn))
            self._forget()

    def stop(self, number: int) -> None:
        """Takes an experiment out of the queue, or stops it."""
        with self._lock:
            for each in self._all:
                if each.number == number and _open(each):
                    self._end(each)

    def close(self) -> None:
        """No more of them: what waits is dropped, what runs is stopped."""
        with self._lock:
            self.allowed = False
            for each in self._all:
                if _open(each):
                    self._end(each)

    def go_on(self) -> None:
        """Looks how the experiment under way does, and begins the next one if none is and the teacher's work rests."""
        with self._lock:
            running = next((each for each in self._all if each.state == "running"), None)
            if running is not None:
                self._look_at(running)
            waiting = next((each for each in self._queue() if each.state == "waiting"), None)
            if waiting and not any(each.state == "running" for each in self._all) and not busy(self._store):
                self._begin(waiting)

    def all(self) -> list[dict[str, Any]]:
        """For the teacher: every experiment that is kept, newest first."""
        with self._lock:
            return [{**_told(each), "wish": each.wish.plain()} for each in reversed(self._all)]

    def by_head(self) -> dict[str, list[dict[str, Any]]]:
        """For the students' door: each head's own, newest last."""
        found: dict[str, list[dict[str, Any]]] = {}
        with self._lock:
            ahead = {each.number: place for place, each in enumerate(self._queue())}
            for each in self._all:
                found.setdefault(each.head, []).append({**_told(each), "ahead": ahead.get(each.number, 0)})
        return found

    def _queue(self) -> list[Experiment]:
        """Those that are open, in the order in which they run."""
        found = [each for each in self._all if _open(each)]
        return sorted(found, key=lambda each: (each.state != "running", each.turn, each.number))

    def _begin(self, each: Experiment) -> None:
        try:
            each.run = self._session.submit(each.wish.config(), name=f"{ASIDE}{each.wish.name}")
            each.state, each.again = "running", False
        except BirikimError:
            each.state = "failed"

    def _look_at(self, each: Experiment) -> None:
        assert each.run is not None
        run = self._store.run(each.run)
        if run.state in ALIVE:
            if busy(self._store) and not each.again:
                each.again = True
                self._command_stop(each)
            return
        # only its figures are kept: a class would fill the disk with models
        shutil.rmtree(self._store.home / "runs" / str(each.run), ignore_errors=True)
        if each.again and run.state == "stopped":
            each.state, each.run = "waiting", None
        else:
            each.state = "failed" if run.state in ("failed", "interrupted") else _ended(run.state)

    def _end(self, each: Experiment) -> None:
        if each.state == "running":
            each.again = False
            self._command_stop(each)
        else:
            each.state = "stopped"

    def _command_stop(self, each: Experiment) -> None:
        assert each.run is not None
        try:
            self._session.command(each.run, "stop")
        except BirikimError:
            return  # it has ended by itself

    def _forget(self) -> None:
        many = Counter(each.head for each in self._all)
        for each in list(self._all):
            if not _open(each) and (many[each.head] > KEPT or len(self._all) > MOST_KEPT):
                self._all.remove(each)
                many[each.head] -= 1


def _open(each: Experiment) -> bool:
    return each.state in ("waiting", "running")


def _ended(state: str) -> State:
    return "finished" if state == "finished" else "stopped"


def _told(each: Experiment) -> dict[str, Any]:
    return {"number": each.number, "state": each.state, "run": each.run}
