"""A run of several processes, seen from the program that starts and watches over them."""

from __future__ import annotations

import json
import time
from pathlib import Path

from engine.events import StateChanged
from engine.launch import Launcher, in_words, launch_command
from engine.ranks.several import patience_of
from engine.session.work import Work
from engine.trust import trusted

LOOK = 0.2
"""Seconds between looks at the processes."""

LEAVE = 30.0
"""Seconds that they have to end after the run has."""

MODULE = "engine.session.rank"

CLOSING = "closing.json"
"""Where the first process leaves the last word about the run, in its folder."""


class Launched(Work):
    """Lets the processes train; the first of them writes to the store as any run does, but for the last word."""

    def do(self) -> StateChanged:
        self.control.check()
        self.enter("loading", "data")
        given = trusted()
        arguments = ["--home", str(self.store.home), "--run", str(self.run.id)]
        arguments += ["--trust-remote-code"] * given.remote_code + ["--allow-pickle"] * given.pickle
        command = launch_command(self.config, MODULE, arguments)
        environment = {"BIRIKIM_COMMAND": in_words(command), "BIRIKIM_PATIENCE": str(patience_of(self.config))}
        closing = self.folder / CLOSING
        closing.unlink(missing_ok=True)
        launcher = Launcher(command, self.folder / "processes.log", environment)
        try:
            self.control.relay(launcher.tell)
            self._watch_over(launcher, closing)
        finally:
            launcher.close()
        try:
            said = json.loads(closing.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise launcher.failure() from None
        closing.unlink()
        return StateChanged(**said)

    def _watch_over(self, launcher: Launcher, closing: Path) -> None:
        ended: float | None = None
        while not launcher.wait(LOOK):
            if ended is None and closing.exists():
                ended = time.monotonic()
            if ended is not None and time.monotonic() - ended > LEAVE:
                return
