"""Text files as text, a piece at a time: UTF-8, UTF-16 by its mark, or the encoding that the user names."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.datasets.files.guess import guessed
from engine.errors import ConfigError

GLANCE = 2**18
"""Bytes read to learn a file's columns."""

CHUNK = 2**20

MOST_CHARACTERS = 2**26
"""Of one row. A file that seems to hold a longer one is most often broken: it would fill the memory unread."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""A longer mark before one that it begins with."""


@dataclass(frozen=True)
class TextFile:
    """A file of text, and how it is written; without an `encoding` its mark tells, else it is UTF-8."""

    path: Path
    encoding: str | None = None

    @property
    def codec(self) -> str:
        with self.path.open("rb") as file:
            first = file.read(4)
        # a mark is certain; a name that contradicts it is a slip
        marked = next((name for mark, name in MARKS if first.startswith(mark)), None)
        return marked or self.encoding or "utf-8"

    def beginning(self) -> str:
        """The first `GLANCE` bytes; the last line may be cut off. Raises ConfigError as `opened`."""
        with self.path.open("rb") as file:
            data = file.read(GLANCE)
        try:
            text = codecs.getincrementaldecoder(self.codec)().decode(data, final=len(data) < GLANCE)
        except UnicodeDecodeError:
            raise self._undecodable() from None
        if "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            raise ConfigError("data.no-text", field="data.path", path=str(self.path), line=line)
        return text

    @contextmanager
    def opened(self, newline: str) -> Iterator[IO[str]]:
        """To be read; `newline` as `open` takes it. Raises ConfigError with the line that can't be decoded."""
        try:
            with self.path.open(encoding=self.codec, newline=newline) as file:
                yield file
        except UnicodeDecodeError:
            raise self._undecodable() from None

    def lines(self, newline: str = "\n") -> Iterator[str]:
        """Lines with their ends. Raises ConfigError as `opened`, and for a line beyond `MOST_CHARACTERS`."""
        with self.opened(newline) as file:
            number = 0
            while line := file.readline(MOST_CHARACTERS):
                number += 1
                if len(line) == MOST_CHARACTERS:
                    raise self.too_long(number)
                yield line

    def too_long(self, line: int) -> ConfigError:
        return ConfigError(
            "data.huge-row", field="data.path", path=str(self.path), line=line, millions=MOST_CHARACTERS // 10**6
        )

    def _undecodable(self) -> ConfigError:
        """Where the first character stands that can't be decoded, and which encodings could be meant."""
        codec = self.codec
        decoder = codecs.getincrementaldecoder(codec)()
        line, rest = 1, b""
        with self.path.open("rb") as file:
            try:
                while rest := file.read(CHUNK):
                    line += decoder.decode(rest).count("\n")
                decoder.decode(b"", final=True)
            except UnicodeDecodeError as error:
                line += error.object[: error.start].decode(codec, "ignore").count("\n")
                rest = error.object[max(0, error.start - 4096) : error.start + 4096]
        able = guessed(rest)
        if codec.startswith("utf-8"):
            return ConfigError("data.not-utf8", field="data.path", path=str(self.path), line=line, able=able)
        return ConfigError(
            "data.not-decoded", field="data.path", path=str(self.path), line=line, encoding=codec, able=able
        )
