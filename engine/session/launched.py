"""A run of several processes, seen from the program that starts and watches over them."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack

from engine.events import StateChanged
from engine.launch import Launcher, in_words, launch_command
from engine.memory.service import Predictions
from engine.place import device_of
from engine.ranks.several import patience_of
from engine.session.control import Control
from engine.session.predicting import Foretold
from engine.session.work import Work
from engine.store import Run, Store
from engine.trust import trusted

LOOK = 0.2
"""Seconds between looks at the processes."""

LEAVE = 30.0
"""Seconds that they have to end after the run has."""

MODULE = "engine.session.rank"

CLOSING = "closing.json"
"""Where the first process leaves the last word about the run, in its folder."""

JOINED = "joined"
"""What it leaves there once all processes have met."""


class Launched(Work):
    """Lets the processes train; the first of them writes to the store as any run does, but for the last word."""

    def __init__(self, run: Run, store: Store, control: Control, predictions: Predictions | None = None) -> None:
        super().__init__(run, store, control)
        self.predictions = predictions

    def do(self) -> StateChanged:
        self.control.check()
        self.enter("loading", "data")
        given = trusted()
        arguments = ["--home", str(self.store.home), "--run", str(self.run.id)]
        arguments += ["--trust-remote-code"] * given.remote_code + ["--allow-pickle"] * given.pickle
        command = launch_command(self.config, MODULE, arguments)
        environment = {
            "BIRIKIM_COMMAND": in_words(command),
            "BIRIKIM_PATIENCE": str(patience_of(self.config)),
            "BIRIKIM_PROGRAM": str(os.getpid()),
        }
        closing, joined = self.folder / CLOSING, self.folder / JOINED
        for file in (closing, joined):
            file.unlink(missing_ok=True)
        launcher = Launcher(command, self.folder / "processes.log", environment)
        try:
            with ExitStack() as beside:
                self.control.relay(launcher.tell)
                self._watch_over(launcher, beside)
        finally:
            launcher.close()
            joined.unlink(missing_ok=True)
        try:
            said = json.loads(closing.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise launcher.failure() from None
        closing.unlink()
        return StateChanged(**said)

    def _watch_over(self, launcher: Launcher, beside: ExitStack) -> None:
        """Until they have ended, or had `LEAVE` seconds to. What is told of the run meanwhile ends with `beside`."""
        ended: float | None = None
        predictions = self.predictions
        while not launcher.wait(LOOK):
            if not (self.folder / JOINED).exists():
                # who waits for the others hears nothing, and there is nothing yet to be saved
                self.control.check()
            if predictions and self.store.run(self.run.id).state == "running":
                # the first process has told its facts by now: a prediction is one more
                device = device_of(self.config).type
                beside.enter_context(Foretold(self.run.id, self.config, self.store, predictions, device))
                predictions = None
            if ended is None and (self.folder / CLOSING).exists():
                ended = time.monotonic()
            if ended is not None and time.monotonic() - ended > LEAVE:
                return
