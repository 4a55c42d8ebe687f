"""The teacher's side of a class: starts and ends the students' door, tells it what is shown, and takes wishes."""

from __future__ import annotations

import ipaddress
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

import psutil
import segno

from engine import Beside, BirikimError, ConfigError, Session, Store
from gui.classroom import preset
from gui.classroom.preset import Refused
from gui.classroom.wishes import Wishes

log = logging.getLogger("birikim.gui")

TURN = 0.5
"""Seconds between two looks at what students hear of."""

PATIENCE = 30.0
"""Seconds that the door may take to open."""
TRIES = 3

MOST_REFUSED = 100
"""Heads that still hear of why their last wish was refused."""

Ports = Callable[[], Iterator[int]]


class Classroom:
    """One class of a running program."""

    def __init__(self, session: Session, store: Store, *, host: str, local: bool) -> None:
        """`host`: the address that the students' door listens on; `local`: it is for this machine alone."""
        self._store = store
        self._host = host
        self._local = local
        self._wishes = Wishes(session, store)
        self._door: Beside | None = None
        self._ready = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="birikim-class", daemon=True)
        self._port = 0
        self._viewers = 0
        self._pinned: int | None = None
        self._told: dict[str, Any] | None = None
        self._lock = threading.Lock()
        self._refused: dict[str, str] = {}

    def open(self, ports: Ports) -> str:
        """Opens the students' door at the first of `ports` that can be had; returns its address.

        Raises ConfigError as `ports`, and where the door does not open.
        """
        for port in islice(ports(), TRIES):
            self._port = port
            self._start()
            if self._opens():
                self._thread.start()
                return self.link
            self._end_door()
        raise ConfigError("page.no-door", host=self._host, port=self._port)

    def close(self) -> None:
        """Closes the door and drops what students wait for. Idempotent."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._wishes.close()
        self._end_door()

    @property
    def link(self) -> str:
        """What students open: this machine's address in its network, where the door listens to all."""
        host = address() if self._host in ("0.0.0.0", "::") else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self._port}"

    def state(self) -> dict[str, Any]:
        """What the teacher's panel shows."""
        return {
            "link": self.link,
            "code": _code(self.link),
            "open": self._ready.is_set(),
            "viewers": self._viewers,
            "allowed": self._wishes.allowed,
            "pinned": self._pinned,
            "experiments": self._wishes.all(),
            "bounds": preset.for_page(),
        }

    def allow(self, yes: bool) -> None:
        """Whether students may run experiments of their own; a no drops what waits and stops what runs."""
        if yes:
            self._wishes.allowed = True
        else:
            self._wishes.close()

    def pin(self, run: int | None) -> None:
        """Shows students this run, or the current one. Raises StoreError: there is no such run."""
        if run is not None:
            self._store.run(run)
        self._pinned = run

    def stop(self, number: int) -> None:
        self._wishes.stop(number)

    def _start(self) -> None:
        self._ready.clear()
        self._told = None
        self._viewers = 0
        arguments = [self._host, str(self._port), str(self._store.home), self._store.token]
        self._door = Beside("gui.classroom.students", [*arguments, "local" if self._local else "network"], self._heard)

    def _opens(self) -> bool:
        until = time.monotonic() + PATIENCE
        while self._door and self._door.alive and time.monotonic() < until:
            if self._ready.wait(0.1):
                return True
        return False

    def _end_door(self) -> None:
        if self._door:
            self._door.close()
            self._door = None

    def _work(self) -> None:
        while not self._over.wait(TURN):
            try:
                self._turn()
            except Exception:  # the class goes on: the next turn may find what this one lacked
                log.exception("a look at the class has failed")

    def _turn(self) -> None:
        with suppress(BirikimError):  # the disk may be full: the next turn may find space
            self._wishes.go_on()
        if self._door and not self._door.alive:
            log.error("the students' door has closed by itself, and is opened anew")
            self._end_door()
            self._start()
        self._tell()

    def _tell(self) -> None:
        message = {
            "pinned": self._pinned,
            "allowed": self._wishes.allowed,
            "experiments": self._with_refusals(self._wishes.by_head()),
        }
        if self._door and message != self._told:
            self._told = message
            self._door.tell(message)

    def _with_refusals(self, found: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
        with self._lock:  # what is refused meanwhile is heard in another thread
            told = dict(self._refused)
        for head, name in told.items():
            refused = {"number": 0, "state": "refused", "run": None, "ahead": 0, "why": name}
            found[head] = [*found.get(head, []), refused]
        return found

    def _heard(self, message: dict[str, Any]) -> None:
        match message:
            case {"ready": True}:
                self._ready.set()
            case {"viewers": int(viewers)}:
                self._viewers = viewers
            case {"wish": wish, "head": str(head), "place": str(place)} if len(head) == 64:
                self._take(wish, head, place)

    def _take(self, wish: Any, head: str, place: str) -> None:
        name = ""
        try:
            self._wishes.add(wish, head, place)
        except Refused as refused:
            name = refused.name
        with self._lock:
            self._refused.pop(head, None)
            if name:
                self._refused[head] = name
            if len(self._refused) > MOST_REFUSED:
                del self._refused[next(iter(self._refused))]


@lru_cache(maxsize=1)
def _code(link: str) -> str:
    """A QR code as the address of a picture."""
    return str(segno.make(link, error="m").svg_data_uri(border=3, light="#fff", omitsize=True))


def address() -> str:
    """This machine's address in its local network; the loopback one where it is in none."""
    up = {name for name, found in psutil.net_if_stats().items() if found.isup}
    found = [
        ipaddress.ip_address(each.address)
        for name, addresses in psutil.net_if_addrs().items()
        if name in up
        for each in addresses
        if each.family == socket.AF_INET
    ]
    useful = [each for each in found if not each.is_loopback and not each.is_link_local]
    # a home or school network rather than a bridge between virtual machines
    useful.sort(key=lambda each: (not each.is_private, str(each).startswith("172.")))
    return str(useful[0]) if useful else "127.0.0.1"
