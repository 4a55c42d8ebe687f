"""Text files as text: UTF-8, with or without a byte order mark."""

from __future__ import annotations

import codecs
from pathlib import Path

from engine.errors import ConfigError

GLANCE = 2**18
"""Bytes read to learn a file's columns."""


def whole(path: Path) -> str:
    """All of the file. Raises ConfigError `data.not-utf8` with the line."""
    return _decoded(path, path.read_bytes(), final=True)


def beginning(path: Path) -> str:
    """The first `GLANCE` bytes; the last line may be cut off."""
    with path.open("rb") as file:
        data = file.read(GLANCE)
    return _decoded(path, data, final=len(data) < GLANCE)


def _decoded(path: Path, data: bytes, *, final: bool) -> str:
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(data, final)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError("data.not-utf8", field="data.path", path=str(path), line=line) from None
