"""A process beside the program: each tells the other something in lines of JSON, and neither waits for an answer."""

from __future__ import annotations

import json
import logging
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from engine.answering.apart import APART
from engine.environment import keep_to_itself

log = logging.getLogger(__name__)

LONGEST = 65536
"""Bytes of a line that is listened to; a longer one ends the process that sends it."""

MOST_UNHEARD = 100
"""Lines that may wait for it to read them; one that lets more of them wait hangs, and is ended."""

PATIENCE = 5.0
"""Seconds that it has to end by itself."""


class Beside:
    """Runs `module` with `arguments`. It ends with `close`, or by itself where its standard input ends.

    `heard` is called in a thread of its own with each line that it sends.
    """

    def __init__(self, module: str, arguments: Sequence[str], heard: Callable[[dict[str, Any]], None]) -> None:
        keep_to_itself()
        self._heard = heard
        self._child = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        APART.add(self._child.pid)
        self._untold: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=work, name="birikim-beside", daemon=True) for work in (self._listen, self._speak)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def tell(self, message: dict[str, Any]) -> None:
        """Returns at once; one that has ended hears nothing."""
        self._untold.put(json.dumps(message).encode() + b"\n")
        if self._untold.qsize() > MOST_UNHEARD:
            self._child.kill()

    def close(self) -> None:
        """Ends it. Idempotent."""
        self._untold.put(None)
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        APART.discard(self._child.pid)
        for thread in self._threads:
            thread.join()

    def _speak(self) -> None:
        assert self._child.stdin
        with suppress(OSError), self._child.stdin as line:  # it has ended
            while (told := self._untold.get()) is not None:
                line.write(told)
                line.flush()

    def _listen(self) -> None:
        assert self._child.stdout
        with self._child.stdout as lines:
            while line := lines.readline(LONGEST):
                try:
                    message = json.loads(line)
                    if not isinstance(message, dict):
                        raise ValueError("no object")
                except ValueError:
                    self._child.kill()
                    break
                try:
                    self._heard(message)
                except Exception:
                    log.exception("what the process beside said was not taken")
