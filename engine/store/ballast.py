"""Space kept aside, so that a run that fills the disk can still say so."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

SIZE = 256 * 1024
"""Bytes: a closing word takes a few pages of 4 KiB, in the log and in the database."""


class Ballast:
    """A file that is dropped when the disk is full."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ensure(self) -> bool:
        """Whether the space is kept aside, now or already."""
        try:
            if self._path.exists():
                return True
            # the attempt must not be what fills the disk
            if shutil.disk_usage(self._path.parent).free < 2 * SIZE:
                return False
            # random, so that no file system compresses it away
            self._path.write_bytes(os.urandom(SIZE))
        except OSError:
            self.drop()
            return False
        return True

    def drop(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
