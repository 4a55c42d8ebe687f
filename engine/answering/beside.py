"""A process beside the program: each tells the other something in lines of JSON, and neither waits for an answer."""

from __future__ import annotations

import json
import logging
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

PATIENCE = 5.0
"""Seconds that it has to end by itself."""


class Beside:
    """Runs `module` with `arguments`. It ends with `close`, or by itself where its standard input ends.

    `heard` is called in a thread of its own with each line that it sends.
    """

    def __init__(self, module: str, arguments: Sequence[str], heard: Callable[[dict[str, Any]], None]) -> None:
        keep_to_itself()
        self._heard = heard
        self._lock = threading.Lock()
        self._child = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        APART.add(self._child.pid)
        self._thread = threading.Thread(target=self._listen, name="birikim-beside", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def tell(self, message: dict[str, Any]) -> None:
        """Returns at once; one that has ended hears nothing."""
        assert self._child.stdin
        with self._lock, suppress(OSError, ValueError):
            self._child.stdin.write(json.dumps(message).encode() + b"\n")
            self._child.stdin.flush()

    def close(self) -> None:
        """Ends it. Idempotent."""
        assert self._child.stdin
        with self._lock, suppress(OSError):
            self._child.stdin.close()
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        APART.discard(self._child.pid)
        self._thread.join()

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
