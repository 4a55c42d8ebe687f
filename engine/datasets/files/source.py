"""What `data.path` names: a file, a folder of files of one format, or a folder with a subfolder of texts a class."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.datasets.files import FORMATS, Record, TextFile, format_of, plain_text
from engine.errors import ConfigError

State = tuple[tuple[str, int, int], ...]
"""Name, size and time of change of each file: it tells one content from another."""

BY_CLASS = ["text", "label"]
"""The columns of a folder with a subfolder a class: what a file holds, and the subfolder's name."""


@dataclass(frozen=True)
class Source:
    """`files`, in the order in which they are read; with `by_class` each is one row, and its folder is its class."""

    path: Path
    files: tuple[TextFile, ...]
    by_class: bool = False

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    @property
    def is_folder(self) -> bool:
        return self.files[0].path != self.path

    def columns(self) -> list[str] | None:
        """Those of the first file, by its beginning; None of plain text."""
        if self.by_class:
            return BY_CLASS
        return format_of(self.files[0].path).columns(self.files[0])

    def records(self, names: Sequence[str]) -> Iterator[Record]:
        """The values of columns `names`, row by row, with the file's name in each place where there are several.

        Raises ConfigError for a file that lacks one of them.
        """
        for file in self.files:
            within = f"{file.path.relative_to(self.path)} " if self.is_folder else ""
            for place, values in self._rows(file, names):
                yield within + place, values

    def _rows(self, file: TextFile, names: Sequence[str]) -> Iterator[Record]:
        if self.by_class:
            row = {"text": plain_text.whole(file), "label": file.path.parent.name}
            yield "line 1", [row[name] for name in names]
            return
        form = format_of(file.path)
        if file is not self.files[0]:
            columns = form.columns(file)
            missing = [name for name in names if columns is not None and name not in columns]
            if missing:
                raise ConfigError(
                    "data.other-columns",
                    field="data.path", path=str(file.path), name=missing[0], columns=", ".join(columns or []),
                    first=self.files[0].path.name,
                )  # fmt: skip
        yield from form.records(file, names)

    def state(self) -> State:
        """Raises ConfigError where a file has gone."""
        return tuple(_state_of(file.path) for file in self.files)

    def size(self) -> int:
        """Bytes on the disk."""
        return sum(size for _, size, _ in self.state())


def source_of(path: Path, encoding: str | None, *, labelled: bool) -> Source:
    """What is read of `path`; `labelled`: whether the task needs labels, which plain text has in its folders' names.

    Raises ConfigError about `data.path`.
    """
    if not path.is_dir():
        format_of(path)
        return Source(path, (TextFile(path, encoding),))
    try:
        found = _inside(path)
        by_class = [file for folder in sorted(_folders(path)) for file in _inside(folder) if _ending(file) == ".txt"]
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("data.unreadable", field="data.path", path=str(path), reason=reason) from None
    endings = sorted({_ending(file) for file in found})
    if by_class and (not found or (labelled and endings == [".txt"])):
        files = [file for file in by_class if file.stat().st_size]
        if not files:
            raise ConfigError("data.empty-file", field="data.path", path=str(path))
        return Source(path, tuple(TextFile(file, encoding) for file in files), by_class=True)
    if not found:
        raise ConfigError("data.empty-folder", field="data.path", path=str(path), known=", ".join(FORMATS))
    if len(endings) > 1:
        raise ConfigError("data.mixed-folder", field="data.path", path=str(path), endings=", ".join(endings))
    for file in found:
        format_of(file)
    return Source(path, tuple(TextFile(file, encoding) for file in found))


def _inside(folder: Path) -> list[Path]:
    """The files of a format that can be read, by name; hidden ones are nobody's data."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_file()]
    return [folder / name for name in sorted(names) if Path(name).suffix.lower() in FORMATS]


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return [folder / entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]


def _ending(path: Path) -> str:
    return path.suffix.lower()


def _state_of(path: Path) -> tuple[str, int, int]:
    try:
        state = path.stat()
    except OSError:
        raise ConfigError("data.no-file", field="data.path", path=str(path)) from None
    return path.name, state.st_size, state.st_mtime_ns


def changed(path: Path, before: State, after: State) -> ConfigError | None:
    """The fault of a file that is not as it was when its reading began."""
    if before == after:
        return None
    name = next((one[0] for one, other in zip(before, after, strict=False) if one != other), str(path))
    return ConfigError("data.changed", field="data.path", path=str(path), name=name)
