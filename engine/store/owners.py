"""Which living program a run belongs to, shown by a lock that the system drops when the program dies."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout


class Owners:
    """The locks in `home/owners`, one of them this store's own, held until `release`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self.token = uuid.uuid4().hex
        self._own = FileLock(self._path(self.token), thread_local=False)
        self._own.acquire(blocking=False)

    def alive(self, token: str, *, patience: float = 0.0) -> bool:
        """Whether the program behind `token` lives.

        A free lock may look held while another program tries it too; `patience` in seconds outlasts that.
        """
        path = self._path(token)
        if token == self.token:
            return True
        if not path.exists():
            return False
        try:
            with FileLock(path).acquire(timeout=patience, poll_interval=0.01):
                return False
        except (Timeout, OSError):
            return True

    def remove_stale(self) -> None:
        """Deletes the lock files of dead programs. Only while no other program opens its store."""
        for path in self._folder.glob("*.lock"):
            if not self.alive(path.stem):
                with suppress(OSError):
                    path.unlink()

    def release(self) -> None:
        with suppress(OSError):
            self._path(self.token).unlink()
        self._own.release()
        # where a file in use can't be deleted
        with suppress(OSError):
            self._path(self.token).unlink(missing_ok=True)

    def _path(self, token: str) -> Path:
        return self._folder / f"{token}.lock"
