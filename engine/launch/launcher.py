"""The processes of a run from outside: started, told of commands, and in the end all gone."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

import engine
from engine.answering.apart import APART
from engine.environment import keep_to_itself
from engine.errors import RunError
from engine.launch.agent import ALIVE, GRACE

ROOT = Path(engine.__file__).parents[1]

TAIL = 20_000
"""Bytes of what they have said that are looked through for a reason."""

_ROOT_CAUSE = re.compile(r"Root Cause.*?rank\s*:\s*(\d+).*?exitcode\s*:\s*(-?\d+)", re.DOTALL)


class Launcher:
    """Runs `command` from its making to `close`; what it prints lies in the file `log`.

    Where this program dies a pipe ends, by which it knows.
    """

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        keep_to_itself()
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        theirs, self._alive = os.pipe()
        with log.open("wb") as out:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment, "PYTHONPATH": paths, ALIVE: str(theirs)},
                pass_fds=(theirs,),
                # Ctrl-C in a terminal is this program's to pass on
                start_new_session=True,
            )
        os.close(theirs)
        APART.add(self._child.pid)
        self._untold: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._speaker = threading.Thread(target=self._speak, name="birikim-launcher", daemon=True)
        self._speaker.start()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, at most so many seconds from now."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(seconds)
        return self._child.poll() is not None

    def tell(self, line: str) -> None:
        """A line to the first process, which may still be loading; returns at once. One that has ended hears none."""
        self._untold.put(line)

    def _speak(self) -> None:
        assert self._child.stdin
        with suppress(OSError), self._child.stdin as pipe:
            while (line := self._untold.get()) is not None:
                pipe.write(line.encode() + b"\n")
                pipe.flush()

    def close(self) -> None:
        """Ends what has not ended, and all that it has started. Idempotent."""
        family = self._family()
        self._untold.put(None)
        for end in ("terminate", "kill"):
            alive = [process for process in family if process.is_running()]
            for process in alive:
                with suppress(psutil.Error):
                    getattr(process, end)()
            psutil.wait_procs(alive, timeout=GRACE)
        self._child.wait()
        self._speaker.join()
        if self._child.pid in APART:
            APART.discard(self._child.pid)
            os.close(self._alive)

    def failure(self) -> RunError:
        """Why it has ended before the run had."""
        with self._log.open("rb") as said:
            said.seek(max(0, self._log.stat().st_size - TAIL))
            text = said.read().decode(errors="replace")
        if found := _ROOT_CAUSE.search(text):
            rank, status = int(found[1]), int(found[2])
            how = f"signal {-status}" if status < 0 else f"exit status {status}"
            return RunError("launch.ended", rank=rank, how=how, log=self._log)
        if self._child.returncode < 0:
            return RunError("launch.lost", how=f"signal {-self._child.returncode}", log=self._log)
        last = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
        return RunError("launch.not-started", problem=last[:300] or "it said nothing", log=self._log)

    def _family(self) -> list[psutil.Process]:
        found: list[Any] = []
        with suppress(psutil.Error):
            parent = psutil.Process(self._child.pid)
            found = [parent, *parent.children(recursive=True)]
        return found
