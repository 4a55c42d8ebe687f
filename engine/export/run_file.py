"""A run as one file: a zip of JSON, with all that the store holds of it and none of its weights.

`run.json` holds the run's own values; of each table a file of lines, the first one naming the columns.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.errors import WORDING, ConfigError, RunError, StoreError, reason_of
from engine.export.run_rows import checked_head, checked_row, is_later
from engine.store import Store, whole
from engine.store.recorder import as_json

FORMAT = 1
HEAD = "run.json"
FILES = {HEAD, *(f"{name}.jsonl" for name in whole.TABLES)}

MOST_BYTES = 2**30
"""Of the file."""
MOST_INSIDE = 2**32
"""Bytes of all that is packed into it."""
DENSEST = 200
"""Packed, rows of numbers take a fifth to a thirtieth; what unpacks to more than this is no run."""
ALWAYS_FITS = 2**24
LONGEST_HEAD = 2**22
LONGEST_LINE = 2**22

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, RecursionError)
"""What reading a file that was tampered with may end with."""

WRONG = (ValueError, RecursionError, StoreError, zipfile.BadZipFile, zlib.error, EOFError)
"""What its contents may be found to be."""


def write_run(store: Store, run: int, path: Path) -> None:
    """Writes the run to `path`. Raises StoreError: there is no such run."""
    with store.whole(run) as (head, tables), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEAD, as_json({"birikim": "run", "format": FORMAT, "id": run, **head}))
        for name, rows in tables.items():
            with archive.open(f"{name}.jsonl", "w", force_zip64=True) as lines:
                lines.write(f"{json.dumps(whole.TABLES[name].columns)}\n".encode())
                for row in rows:
                    lines.write(f"{json.dumps(row)}\n".encode())


def bring(store: Store, path: Path, name: str = "") -> int:
    """Adds the run in the file to the home and returns its number there. `name`: what the file is called.

    All of the file is looked through before anything is written.

    Raises:
        RunError: it is no run, was changed, or holds too much; or its settings are none that this version knows.
        StoreError: the home can't be written.
    """
    file = name or path.name
    with _opened(path, file) as archive:
        head = _head(archive, file)
        for _ in _rows(archive, file):
            pass
        told = {"file": file, "run": head.pop("id")}
        notice = ["run.imported", WORDING["run.imported"].message.format(**told), told]
        return store.bring(_as_here(head), _followed_by(_rows(archive, file), ("notices", notice)))


def _followed_by(rows: Iterator[tuple[str, list[Any]]], last: tuple[str, list[Any]]) -> Iterator[tuple[str, list[Any]]]:
    yield from rows
    yield last


def _as_here(head: dict[str, Any]) -> dict[str, Any]:
    """A name with a slash is one of a work of that home: here it would be taken for this home's own."""
    return {**head, "name": "", "title": head["title"] or head["name"]} if "/" in head["name"] else head


def _refuse(constant: str) -> None:
    raise ValueError(constant)


DECODER = json.JSONDecoder(parse_constant=_refuse)


@contextmanager
def _opened(path: Path, file: str) -> Iterator[zipfile.ZipFile]:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise RunError("import.too-large", file=file, what=f"{size:,} bytes")
        with zipfile.ZipFile(path) as archive:
            inside = archive.infolist()
            if len(inside) > len(FILES) or sorted(each.filename for each in inside) != sorted(FILES):
                raise RunError("import.not-a-run", file=file)
            packed = all(each.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for each in inside)
            if not packed or any(each.flag_bits & 1 for each in inside):
                raise RunError("import.not-a-run", file=file)
            # what is read of each never goes beyond what is declared here
            whole_size = sum(each.file_size for each in inside)
            if whole_size > max(ALWAYS_FITS, min(MOST_INSIDE, DENSEST * size)):
                raise RunError("import.too-large", file=file, what=f"{whole_size:,} bytes")
            yield archive
    except OSError as problem:
        raise RunError("import.unreadable", file=file, reason=problem.strerror or reason_of(problem)) from None
    except BROKEN:
        raise RunError("import.not-a-run", file=file) from None


def _head(archive: zipfile.ZipFile, file: str) -> dict[str, Any]:
    if archive.getinfo(HEAD).file_size > LONGEST_HEAD:
        raise RunError("import.too-large", file=file, what=HEAD)
    try:
        found = _json(archive.read(HEAD))
        if not isinstance(found, dict) or found.pop("birikim", None) != "run":
            raise RunError("import.not-a-run", file=file)
        version = found.pop("format", None)
        if type(version) is not int or version < 1:
            raise ValueError
        if version > FORMAT:
            raise RunError("import.newer", file=file, found=version, known=FORMAT)
        head = checked_head(found)
    except WRONG:
        raise RunError("import.wrong", file=file, place=HEAD) from None
    try:
        RunConfig.from_dict(head["config"])
    except ConfigError as refusal:
        raise RunError("import.settings", file=file, reason=refusal.line) from None
    return head


def _rows(archive: zipfile.ZipFile, file: str) -> Iterator[tuple[str, list[Any]]]:
    """The rows of all tables, each checked."""
    for name, table in whole.TABLES.items():
        number = 1
        try:
            with archive.open(f"{name}.jsonl") as lines:
                if _json(lines.readline(LONGEST_LINE)) != list(table.columns):
                    raise ValueError
                before: list[Any] | None = None
                while line := lines.readline(LONGEST_LINE):
                    number += 1
                    row = checked_row(name, _json(line))
                    if before is not None and not is_later(name, before, row):
                        raise ValueError
                    before = row
                    yield name, row
        except WRONG:
            raise RunError("import.wrong", file=file, place=f"{name}.jsonl, line {number}") from None


def _json(text: bytes) -> Any:
    """Raises ValueError for what is no JSON of finite numbers and whole characters in UTF-8."""
    found = DECODER.decode(text.decode("utf-8"))
    if b"\\u" in text:
        # half of a character can be written in JSON, and nowhere else
        json.dumps(found, ensure_ascii=False).encode()
    return found
