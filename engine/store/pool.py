"""Read connections, opened as needed and used again by whichever thread comes next."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import StoreError
from engine.store import faults
from engine.store.schema import open_for_reading

IDLE = 8
"""Connections that are kept for the next reader."""


class Pool:
    """A page's threads come and go: a connection of each would stay open after it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._gate = threading.Lock()

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection for one thread, inside a transaction: all that it reads is of one moment.

        Raises:
            StoreError: the file can't be read, or the store is closed.
        """
        try:
            connection = self._take()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)
        except sqlite3.Error as problem:
            raise faults.told(problem, self._path) from problem

    def close(self) -> None:
        """Closes what is idle now, and what is in use when it comes back."""
        with self._gate:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        with self._gate:
            if self._closed:
                raise StoreError("store.closed")
            if self._idle:
                return self._idle.pop()
        return open_for_reading(self._path, read_only=self._read_only)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with suppress(sqlite3.Error):
            connection.rollback()
        with self._gate:
            kept = not self._closed and not connection.in_transaction and len(self._idle) < IDLE
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()
