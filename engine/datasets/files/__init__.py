"""A user's own file, by its extension: its columns at a glance, and its rows with the place of each.

One file a format. A place is in words ("line 7"), for messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.datasets.files import delimited, json_rows, parquet, plain_text
from engine.datasets.files.decoding import TextFile
from engine.errors import ConfigError

__all__ = ["FORMATS", "Format", "Record", "TextFile", "format_of"]

Record = tuple[str, Sequence[Any]]
"""Where a row stands, and the values of the columns asked for."""


class Format(NamedTuple):
    """`columns` reads as little as it can; `records` reads all, in the file's order, and holds little at a time.

    `columns` gives None where the file's rows name none: a text file, which is all text.
    """

    columns: Callable[[TextFile], list[str] | None]
    records: Callable[[TextFile, Sequence[str]], Iterator[Record]]


FORMATS: dict[str, Format] = {
    ".csv": Format(delimited.columns, delimited.records),
    ".tsv": Format(delimited.columns, delimited.records),
    ".json": Format(json_rows.columns, json_rows.records),
    ".jsonl": Format(json_rows.columns, json_rows.records),
    ".parquet": Format(parquet.columns, parquet.records),
    ".txt": Format(plain_text.columns, plain_text.records),
}


def format_of(path: Path) -> Format:
    """The format of an existing, non-empty file. Raises ConfigError about `data.path` otherwise."""
    if not path.exists():
        raise ConfigError("data.no-file", field="data.path", path=str(path))
    if not path.is_file():
        # a pipe would wait for ever, and gives its rows once
        raise ConfigError("data.not-a-file", field="data.path", path=str(path))
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise ConfigError("data.unknown-format", field="data.path", path=str(path), known=", ".join(FORMATS))
    try:
        with path.open("rb") as file:
            first = file.read(1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("data.unreadable", field="data.path", path=str(path), reason=reason) from None
    if not first:
        raise ConfigError("data.empty-file", field="data.path", path=str(path))
    return kind
