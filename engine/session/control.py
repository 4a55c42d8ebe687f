"""Commands on their way to the training loop, in force at the next micro-batch."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from engine.errors import RunStopped
from engine.events import Command

Permit = Literal["run", "hold", "micro-batch", "update", "slow"]

AS_COMMANDS: dict[Permit, Command] = {
    "run": "resume",
    "hold": "pause",
    "micro-batch": "next-micro-batch",
    "update": "next-update",
    "slow": "slow-motion",
}

SLOW = 1.5
"""Seconds, at least, between the beginnings of two micro-batches in slow motion."""

PATIENCE = 1.0
"""Seconds of one wait."""


class Control:
    """What the training loop may do next. Any thread posts; the training thread asks at each gate.

    `clock` tells seconds, and `wait` waits for something to be posted, at most so many of them.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[threading.Condition, float], object] = threading.Condition.wait,
    ) -> None:
        self._changed = threading.Condition()
        self._permit: Permit = "run"
        self._stop = False
        self._until_window: int | None = None
        self._clock = clock
        self._wait = wait
        self._began = -math.inf
        self._posted = 0
        self._asked = False
        self._relay: Callable[[Command], None] = lambda command: None

    def post(self, command: Command) -> None:
        """Takes effect at the next gate. Stop is final."""
        with self._changed:
            match command:
                case "stop":
                    self._stop = True
                case "pause":
                    self._permit = "hold"
                case "resume":
                    self._permit = "run"
                case "next-micro-batch":
                    self._permit = "micro-batch"
                case "next-update":
                    self._permit, self._until_window = "update", None
                case "slow-motion":
                    self._permit = "slow"
                case "replay":
                    self._asked = self.stepping
            self._posted += 1
            self._changed.notify_all()
            self._relay(command)

    def relay(self, to: Callable[[Command], None]) -> None:
        """Tells `to` of every command, and first of what those before now have come to; it must not block."""
        with self._changed:
            if self._stop or self._permit != "run":
                to("stop" if self._stop else AS_COMMANDS[self._permit])
            self._relay = to

    @property
    def stop_requested(self) -> bool:
        return self._stop

    @property
    def stepping(self) -> bool:
        """Whether someone watches micro-batch by micro-batch."""
        return self._permit != "run"

    def check(self) -> None:
        """Raises RunStopped once Stop was posted; for places between micro-batches."""
        if self._stop:
            raise RunStopped("run.stopped")

    def gate(
        self,
        window: int,
        *,
        held: Callable[[], None],
        released: Callable[[], None],
        resting: Callable[[], AbstractContextManager[object]] = nullcontext,
        replay: Callable[[], None] = lambda: None,
        waiting: Callable[[], None] = lambda: None,
    ) -> None:
        """Waits until the next micro-batch, one of window number `window`, may begin.

        Calls `held` when a wait for a command begins and `released` when it is over; is inside `resting` while slow
        motion waits. Calls `replay` once for a command to do so, and `waiting` about once a second while it waits.
        Raises:
            RunStopped: Stop was posted, before or during the wait.
        """
        paused = False
        while True:
            with self._changed:
                asked, self._asked = self._asked and not self._stop, False
                posted, left = self._posted, math.inf if asked else self._left(window)
            if asked:
                with nullcontext() if paused else resting():
                    replay()
                continue
            if left == 0.0:
                break
            if paused is not (left == math.inf):
                paused = left == math.inf
                (held if paused else released)()
            with nullcontext() if paused else resting(), self._changed:
                if self._posted == posted:
                    self._wait(self._changed, min(left, PATIENCE))
            waiting()
        if paused:
            released()
        self.check()

    def _left(self, window: int) -> float:
        """Seconds until the next micro-batch may begin: infinite until a command comes, 0 where it begins now."""
        left = 0.0 if self._stop or self._admit(window) else math.inf
        if self._permit == "slow" and not self._stop:
            left = max(0.0, self._began + SLOW - self._clock())
        if left == 0.0:
            self._began = self._clock()
        return left

    def _admit(self, window: int) -> bool:
        if self._permit == "micro-batch":
            self._permit = "hold"
            return True
        if self._permit == "update":
            if self._until_window is None:
                self._until_window = window
            if window != self._until_window:
                self._permit = "hold"
        return self._permit in ("run", "update")
