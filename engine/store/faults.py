"""What SQLite and the file system complain of, as errors with a remedy."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from engine.errors import StoreError

_SQLITE = {
    sqlite3.SQLITE_FULL: "store.disk-full",
    sqlite3.SQLITE_READONLY: "store.not-writable",
    sqlite3.SQLITE_CORRUPT: "store.corrupt",
    sqlite3.SQLITE_NOTADB: "store.corrupt",
    sqlite3.SQLITE_CANTOPEN: "store.cannot-open",
    sqlite3.SQLITE_BUSY: "store.busy",
}

_SYSTEM = {
    errno.ENOSPC: "store.disk-full",
    errno.EDQUOT: "store.disk-full",
    errno.EACCES: "store.not-writable",
    errno.EPERM: "store.not-writable",
    errno.EROFS: "store.not-writable",
    errno.EEXIST: "store.not-a-folder",
    errno.ENOTDIR: "store.not-a-folder",
}


def primary_code(problem: BaseException) -> int | None:
    """SQLite's primary result code, where the problem is SQLite's."""
    extended: int | None = getattr(problem, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF


def of_all(problem: Exception) -> bool:
    """Whether it is a trouble of the disk or the whole database; any other is of the one who asked for something."""
    return isinstance(problem, sqlite3.OperationalError | OSError) or type(problem) is sqlite3.DatabaseError


def told(problem: Exception, path: Path) -> StoreError:
    """`problem`, met at `path`, in our words."""
    if isinstance(problem, StoreError):
        return problem
    code = None
    if isinstance(problem, OSError):
        code = _SYSTEM.get(problem.errno or 0)
    elif getattr(problem, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHMSIZE:
        # the index of the log could not grow
        code = "store.disk-full"
    else:
        code = _SQLITE.get(primary_code(problem) or 0)
    return StoreError(code or "store.failed", path=path, reason=str(problem))
