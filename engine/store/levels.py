"""Which rows of a long series must be drawn: marked while it is written, so that a million rows open at once.

Level n cuts a series into buckets of 4 ** n keys. When a bucket is full, the rows that hold the lowest and the
highest value of each charted metric in it are marked. A curve drawn through the marked rows of any level
reaches every extreme of the whole series.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.store.series import Series

FACTOR = 4

_Extremes = dict[str, list[Any]]
"""By metric: lowest value, its key, highest value, its key."""


class Mark(NamedTuple):
    """A full bucket and the keys that it marks."""

    level: int
    bucket: int
    keys: list[int]


class Buckets:
    """The buckets of one series that are still filling, one a level."""

    def __init__(self, finest: int) -> None:
        self._finest = finest
        self._open: dict[int, tuple[int, _Extremes]] = {}

    def add(self, key: int, values: Mapping[str, float | None]) -> list[Mark]:
        """Takes in the row `key`, higher than any before, and returns the buckets that are full by now."""
        full: list[Mark] = []
        size = FACTOR**self._finest
        extremes = self._enter(self._finest, (key - 1) // size, full)
        for name, value in values.items():
            if value is not None:
                _offer(extremes, name, value, key)
        if key % size == 0:
            self._close(self._finest, full)
        return full

    def _enter(self, level: int, bucket: int, full: list[Mark]) -> _Extremes:
        if level in self._open and self._open[level][0] != bucket:
            self._close(level, full)
        return self._open.setdefault(level, (bucket, {}))[1]

    def _close(self, level: int, full: list[Mark]) -> None:
        bucket, extremes = self._open.pop(level)
        keys = {key for _, low, _, high in extremes.values() for key in (low, high)}
        full.append(Mark(level, bucket, sorted(keys)))
        coarser = self._enter(level + 1, bucket // FACTOR, full)
        for name, (low, key_of_low, high, key_of_high) in extremes.items():
            _offer(coarser, name, low, key_of_low)
            _offer(coarser, name, high, key_of_high)
        if bucket % FACTOR == FACTOR - 1:
            self._close(level + 1, full)


def _offer(extremes: _Extremes, name: str, value: float, key: int) -> None:
    found = extremes.get(name)
    if found is None:
        extremes[name] = [value, key, value, key]
    elif value < found[0]:
        found[:2] = value, key
    elif value > found[2]:
        found[2:] = value, key


class Cover(NamedTuple):
    """Keys that stand for all rows up to `position`; the rows after it stand for themselves."""

    keys: list[int]
    position: int


def keep(db: sqlite3.Connection, run: int, series: Series, full: list[Mark]) -> None:
    """Writes marks. A bucket that is marked already stays: it was full once, and a rebuilt one may know less."""
    for level, bucket, keys in full:
        db.execute(
            "INSERT OR IGNORE INTO marks VALUES (?, ?, ?, ?, ?)",
            (run, series.table, level, bucket, ",".join(map(str, keys))),
        )


def take_back(db: sqlite3.Connection, run: int, series: Series, first: int) -> None:
    """Deletes the marks of every bucket that reaches to the key `first` or beyond."""
    top = coarsest(db, run, series)
    for level in range(series.finest, top + 1):
        db.execute(
            "DELETE FROM marks WHERE run = ? AND series = ? AND level = ? AND bucket >= ?",
            (run, series.table, level, (first - 1) // FACTOR**level),
        )


def coarsest(db: sqlite3.Connection, run: int, series: Series) -> int:
    """The highest level that has a mark, else the one before the finest."""
    found = db.execute("SELECT max(level) FROM marks WHERE run = ? AND series = ?", (run, series.table)).fetchone()[0]
    return series.finest - 1 if found is None else int(found)


def cover(db: sqlite3.Connection, run: int, series: Series, level: int) -> Cover:
    """The marks of `level`; where its full buckets end those of the next finer one, and so on."""
    keys: list[int] = []
    position = 0
    for at in range(level, series.finest - 1, -1):
        size = FACTOR**at
        for bucket, marked in db.execute(
            "SELECT bucket, keys FROM marks WHERE run = ? AND series = ? AND level = ? AND bucket >= ? ORDER BY bucket",
            (run, series.table, at, position // size),
        ):
            keys += map(int, marked.split(",")) if marked else ()
            position = (bucket + 1) * size
    return Cover(keys, position)


def rows(db: sqlite3.Connection, run: int, series: Series, chosen: Cover) -> list[Any]:
    """The rows of a cover, in order: those that stand for others, then the rest."""
    marked = db.execute(series.select("IN (SELECT value FROM json_each(?))"), (run, str(chosen.keys)))
    rest = db.execute(series.select("> ?"), (run, chosen.position))
    return [*marked, *rest]


def thinned(db: sqlite3.Connection, run: int, series: Series, first: int, last: int, points: int) -> list[Any]:
    """Rows `first` and `last` and at most `points` in all that hold every extreme, on the finest level that does.

    The coarsest level has a few hundred rows, and is not cut further for a smaller `points`.
    """
    top = coarsest(db, run, series)
    level = series.finest
    while level < top and (last - first) // FACTOR**level > points:
        level += 1
    while True:
        chosen = cover(db, run, series, level)
        if level >= top or len(chosen.keys) + last - chosen.position + 2 <= points:
            break
        level += 1
    ends = [key for key in (first, last) if key <= chosen.position]
    return rows(db, run, series, Cover(chosen.keys + ends, chosen.position))
