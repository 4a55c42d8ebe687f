"""What a home folder takes of the disk: all of it, and each run's folder."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.store.schema import FILE

OLD = 60.0
"""Seconds after which the whole home is measured anew, once somebody asks."""

OLD_RUN = 5.0
"""Seconds for which a run's folder counts as measured."""


@dataclass(frozen=True)
class Use:
    """Bytes: the `whole` home, its `database`, and the folder of each of `runs` that has one."""

    whole: int
    database: int
    runs: dict[int, int] = field(default_factory=dict)


class Disk:
    """Measures aside: to walk through thousands of folders takes longer than a page should wait."""

    def __init__(self, home: Path) -> None:
        self._home = home.absolute()
        self._lock = threading.Lock()
        self._use: Use | None = None
        self._measured = self._changed = -OLD
        self._walk: threading.Thread | None = None
        self._of_run: dict[int, tuple[float, int]] = {}

    def use(self) -> Use | None:
        """What was measured last, None until the first time is over; what is old is measured anew meanwhile."""
        with self._lock:
            if self._walk is None and (self._use is None or time.monotonic() - self._measured > OLD):
                self._walk = threading.Thread(target=self._measure, name="birikim-disk", daemon=True)
                self._walk.start()
            return self._use

    def wait(self, timeout: float) -> Use | None:
        """As `use`, once a measurement that is under way is over, or after `timeout` seconds."""
        self.use()
        if (walk := self._walk) is not None:
            walk.join(timeout)
        return self.use()

    def of(self, runs: Sequence[int]) -> dict[int, int]:
        """Bytes of the folders of these few runs, by run; 0 for one without."""
        return {run: self._one(run) for run in runs}

    def forget(self) -> None:
        """Something was taken away: all is measured anew at the next question."""
        with self._lock:
            self._measured, self._changed = -OLD, time.monotonic()
            self._of_run.clear()

    def _one(self, run: int) -> int:
        now = time.monotonic()
        at, size = self._of_run.get(run, (-OLD_RUN, 0))
        if now - at >= OLD_RUN:
            size = folder_bytes(self._home / "runs" / str(run))
            self._of_run[run] = (now, size)
        return size

    def _measure(self) -> None:
        began = time.monotonic()
        runs: dict[int, int] = {}
        others = 0
        with suppress(OSError), os.scandir(self._home) as entries:
            others = sum(_size(entry) for entry in entries if entry.name != "runs")
        with suppress(OSError), os.scandir(self._home / "runs") as entries:
            for entry in entries:
                size = _size(entry)
                if entry.name.isascii() and entry.name.isdigit():
                    runs[int(entry.name)] = size
                else:
                    others += size
        database = sum(_file_bytes(self._home / f"{FILE}{ending}") for ending in ("", "-wal", "-shm"))
        with self._lock:
            self._use = Use(others + sum(runs.values()), database, runs)
            # what has changed meanwhile may have been passed before
            self._measured, self._walk = (began if began > self._changed else -OLD), None


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder; links count as nothing, and what goes away meanwhile too."""
    total = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            total += _size(entry)
    return total


def _size(entry: os.DirEntry[str]) -> int:
    with suppress(OSError):
        if entry.is_dir(follow_symlinks=False):
            return folder_bytes(Path(entry.path))
        if entry.is_file(follow_symlinks=False):
            return entry.stat(follow_symlinks=False).st_size
    return 0


def _file_bytes(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
