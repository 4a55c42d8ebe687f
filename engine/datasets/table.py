"""The rows of a table as they were read: in memory where they are few, else in files of our own, read row by row.

A record is `[place, value, …]`: where the row stands, and its values of the columns that were asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from engine.datasets.sliced import Sliced
from engine.datasets.values import Cell
from engine.errors import ConfigError

RecordValues = list[Any]

ROWS, ENDS, MARKS, ABOUT = "rows.json", "ends", "marks", "about.json"

MOST_TABLES = 4
"""Tables kept at once; those used last."""


class Table:
    """`records` and what is known of all of them. `empty`: how many rows were left out as they held no text.

    `marks`: two whole numbers a record, the first equal where two records are, the second where their texts are; or the
    file that holds them, which is read when they are needed.
    """

    def __init__(self, records: Sequence[RecordValues], marks: array[int] | Path, empty: int, source: str) -> None:
        self.records = records
        self.marks = marks
        self.empty = empty
        self.source = source

    def __len__(self) -> int:
        return len(self.records)

    @property
    def on_disk(self) -> bool:
        return isinstance(self.records, RowFile)

    def column(self, number: int) -> Sequence[Cell]:
        """The cells of a column, made as they are asked for."""
        return Column(self.records, number, self.source)

    @property
    def repeated(self) -> int:
        """How many records are as an earlier one."""
        import numpy

        whole = self._numbers()[::2]
        return len(whole) - len(numpy.unique(whole))

    def known(self, held: Any, others: Any) -> int:
        """How many of the records at the places `held` have a text that a record at one of the places `others` has."""
        import numpy

        texts = self._numbers()[1::2]
        return int(numpy.isin(texts[numpy.asarray(held, int)], texts[numpy.asarray(others, int)]).sum())

    def known_in(self, other: Table) -> int:
        """How many of the records have a text that a record of the `other` has."""
        import numpy

        return int(numpy.isin(self._numbers()[1::2], other._numbers()[1::2]).sum())

    def _numbers(self) -> Any:
        import numpy

        if isinstance(self.marks, Path):
            return numpy.fromfile(self.marks, dtype="<i8")
        return numpy.frombuffer(self.marks, dtype=numpy.int64)


class Column(Sliced[Cell]):
    def __init__(self, records: Sequence[RecordValues], number: int, source: str) -> None:
        self._records = records
        self._number = number
        self._source = source

    def __len__(self) -> int:
        return len(self._records)

    def at(self, place: int) -> Cell:
        return self._cell(self._records[place])

    def __iter__(self) -> Iterator[Cell]:
        return map(self._cell, self._records)

    def _cell(self, record: RecordValues) -> Cell:
        return Cell(record[self._number + 1], record[0], self._source)


def read_table(records: Iterable[tuple[RecordValues, bool]], source: str, folder: Path | None) -> Table:
    """A table of what comes as (record, whether it is to be left out as empty), kept in `folder` where one is given.

    Raises ConfigError `data.no-space`.
    """
    if folder is None:
        held: list[RecordValues] = []
        marks = array("q")
        empty = 0
        for record, left_out in records:
            if left_out:
                empty += 1
            else:
                held.append(record)
                marks.extend(_marks(record))
        return Table(held, marks, empty, source)
    kept = _kept(folder, source)
    if kept is None:
        _write(records, folder)
        kept = _kept(folder, source)
        assert kept is not None
    return kept


def _kept(folder: Path, source: str) -> Table | None:
    try:
        about = json.loads((folder / ABOUT).read_text())
        if (folder / MARKS).stat().st_size != 16 * about["rows"]:
            return None
        os.utime(folder)
        return Table(RowFile(folder, about["rows"]), folder / MARKS, about["empty"], source)
    except (OSError, ValueError, KeyError):
        return None


def _write(records: Iterable[tuple[RecordValues, bool]], folder: Path) -> None:
    """Whole or not at all: the folder gets its name once all is written."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _make_room(folder)
    new = Path(tempfile.mkdtemp(prefix="writing-", dir=folder.parent))
    try:
        rows = empty = end = 0
        with (new / ROWS).open("wb") as texts, (new / ENDS).open("wb") as ends, (new / MARKS).open("wb") as marks:
            for record, left_out in records:
                if left_out:
                    empty += 1
                    continue
                rows += 1
                end += texts.write(_packed(record))
                ends.write(end.to_bytes(8, "little"))
                for mark in _marks(record):
                    marks.write(mark.to_bytes(8, "little", signed=True))
        (new / ABOUT).write_text(json.dumps({"rows": rows, "empty": empty}))
        with suppress(OSError):  # another program was quicker
            new.rename(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("data.no-space", field="data.path", folder=str(folder.parent), reason=reason) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _make_room(folder: Path) -> None:
    """What was read of an earlier content of the same file is of no use, nor what nobody has used for long."""
    same = folder.name.split("-")[0]
    tables = sorted((each for each in folder.parent.iterdir() if each.is_dir()), key=lambda each: -each.stat().st_mtime)
    kept = [each for each in tables if not each.name.startswith((same, "writing-"))]
    for each in [*(each for each in tables if each.name.startswith(same)), *kept[MOST_TABLES - 1 :]]:
        shutil.rmtree(each, ignore_errors=True)


def _packed(record: RecordValues) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:  # half characters, and numbers beyond 64 bits
        return json.dumps(record).encode()


def _unpacked(data: bytes) -> RecordValues:
    try:
        record: RecordValues = orjson.loads(data)
    except ValueError:
        record = json.loads(data)
    return record


def _marks(record: RecordValues) -> tuple[int, int]:
    return _mark(record[1:]), _mark(record[1])


def _mark(values: Any) -> int:
    data = (values if isinstance(values, str) else repr(values)).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


class RowFile(Sliced[RecordValues]):
    """Records in a file, by their number. It goes with a process that is forked or sent it: each opens it for itself.

    On POSIX systems the file may be removed while it is open.
    """

    def __init__(self, folder: Path, rows: int) -> None:
        self._folder = folder
        self._rows = rows
        self._open()

    def _open(self) -> None:
        self._lock = threading.Lock()
        self._texts = (self._folder / ROWS).open("rb", buffering=0)
        self._ends = (self._folder / ENDS).open("rb", buffering=0)

    def __getstate__(self) -> dict[str, Any]:
        return {"_folder": self._folder, "_rows": self._rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def __del__(self) -> None:
        for file in (getattr(self, "_texts", None), getattr(self, "_ends", None)):
            if file is not None:
                file.close()

    def __len__(self) -> int:
        return self._rows

    def at(self, place: int) -> RecordValues:
        first = max(0, place - 1)
        ends = self._read(self._ends, 8 * first, 8 * (place - first + 1))
        start = int.from_bytes(ends[:8], "little") if place else 0
        end = int.from_bytes(ends[-8:], "little")
        return _unpacked(self._read(self._texts, start, end - start))

    def __iter__(self) -> Iterator[RecordValues]:
        with (self._folder / ROWS).open("rb") as texts, (self._folder / ENDS).open("rb") as ends:
            start = 0
            for _ in range(self._rows):
                end = int.from_bytes(ends.read(8), "little")
                yield _unpacked(texts.read(end - start))
                start = end

    def _read(self, file: Any, start: int, size: int) -> bytes:
        if hasattr(os, "pread"):  # has no place in the file that processes would share
            return _whole(lambda done: os.pread(file.fileno(), size - done, start + done), size)
        with self._lock:
            file.seek(start)
            return _whole(lambda done: file.read(size - done), size)


def _whole(read: Any, size: int) -> bytes:
    """A read may give less than was asked for."""
    data = b""
    while len(data) < size and (more := read(len(data))):
        data += more
    return data
