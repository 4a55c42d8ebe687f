"""What the files hold that a sweep reads: a study goes on with the same content alone, wherever the files lie.

Trials of other rows, weights or code under one name would be compared as if they had been given the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.config.own_code import KEYS as OWN_CODE
from engine.config.own_code import parts
from engine.datasets.files import FORMATS
from engine.errors import StoreError
from engine.sweep.space import Space

DATA = ("data.path", "data.validation")
NAMING = (*DATA, "model", *OWN_CODE)
"""The keys of a config that may name a file or a folder."""


def contents_of(space: Space) -> dict[str, str]:
    """A digest of each file or folder that the config or a value of its fields names, by the key.

    Of a field's values by the key and the value's place, so that machines on which they lie elsewhere find the same.
    """
    return {name: _digest(key, path) for name, key, path in _named(space)}


def check_contents(study: str, known: Mapping[str, str], space: Space) -> None:
    """Raises StoreError `sweep.changed` about the first file or folder that does not hold what is `known` of it."""
    found = contents_of(space)
    for name in sorted(known.keys() | found.keys()):
        if known.get(name) != found.get(name):
            path = next((path.name for each, _, path in _named(space) if each == name), name)
            raise StoreError("sweep.changed", study=study, field=name.split()[0], name=path)


def _named(space: Space) -> Iterator[tuple[str, str, Path]]:
    """What names it, the key, and where it is; only what is there."""
    base = space.base.to_dict()
    for key in NAMING:
        root, *inner = key.split(".")
        listed = space.fields.get(key, space.fields.get(root))
        if not isinstance(listed, list):
            values = {key: _within(base.get(root), inner)}
        else:
            within = [] if key in space.fields else inner
            values = {f"{key} {place}": _within(value, within) for place, value in enumerate(listed)}
        for name, value in values.items():
            if isinstance(value, str) and (path := _path(key, value)) and path.exists():
                yield name, key, path


def _within(value: Any, inner: list[str]) -> Any:
    for name in inner:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _path(key: str, value: str) -> Path | None:
    try:
        path = parts(value)[0] if key in OWN_CODE else Path(value).expanduser()
        return None if key == "model" and not path.is_dir() else path
    except (OSError, RuntimeError, ValueError):
        return None


def _digest(key: str, path: Path) -> str:
    states = [(file, file.stat()) for file in _files(key, path)]
    return _digest_of(path, tuple((file, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for file, at in states))


def _files(key: str, path: Path) -> list[Path]:
    """What is read of it: of a folder of data its files and those of its folders, of a model's what lies in it."""
    if not path.is_dir():
        return [path]
    found = [*path.glob("*"), *(path.glob("*/*") if key in DATA else ())]
    return sorted(
        file
        for file in found
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and (key not in DATA or file.suffix.lower() in FORMATS)
    )


@lru_cache(64)
def _digest_of(path: Path, states: tuple[tuple[Path, int, int, int], ...]) -> str:
    """Of the names and contents of the files, which are read once in each state."""
    whole = hashlib.blake2b(digest_size=16)
    for file, *_ in states:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, hashlib.blake2b).hexdigest()
        whole.update(f"{'' if file == path else file.relative_to(path)}\0{digest}\n".encode())
    return whole.hexdigest()
