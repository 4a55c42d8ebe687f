"""Commands on their way to the training loop, in force at the next micro-batch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

from engine.errors import RunStopped
from engine.events import Command

Permit = Literal["run", "hold", "micro-batch", "update"]


class Control:
    """What the training loop may do next. Any thread posts; the training thread asks at each gate."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._permit: Permit = "run"
        self._stop = False
        self._until_window: int | None = None

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
            self._changed.notify_all()

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

    def gate(self, window: int, *, held: Callable[[], None], released: Callable[[], None]) -> None:
        """Waits until the next micro-batch, one of window number `window`, may begin.

        Calls `held` when the wait begins and `released` when it is over.
        Raises:
            RunStopped: Stop was posted, before or during the wait.
        """
        with self._changed:
            self.check()
            if self._admit(window):
                return
        held()
        with self._changed:
            while not self._stop and not self._admit(window):
                self._changed.wait(timeout=1.0)
        released()
        self.check()

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
