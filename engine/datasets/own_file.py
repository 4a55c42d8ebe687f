"""Rows from a file or folder of the user's own."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.config import DataConfig
from engine.datasets.columns import Chosen, chosen
from engine.datasets.files.source import Source, State, changed, source_of
from engine.datasets.reading import rows_of
from engine.datasets.rows import Rows
from engine.errors import ConfigError, reason_of
from engine.tasks import get_task

LARGE = 2**26
"""Bytes of a file above which its rows are kept on the disk and not in memory."""

LAYOUT = 1
"""Of what is kept; another one is not read."""


def path_of(config: DataConfig) -> Path:
    """The file's path. Raises ConfigError for what can be none: an unknown home folder, too long a name."""
    try:
        path = Path(config.path or "").expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or reason_of(error)
        raise ConfigError("data.no-path", field="data.path", path=config.path, reason=reason) from None
    return path


def check_file(config: DataConfig, task: str) -> tuple[Source, Chosen]:
    """What is to be read, and its columns; reads only the beginning of it, and that of the file of validation.

    Raises ConfigError as `engine.datasets.check`.
    """
    if config.validation is not None:
        with _about("data.validation"):
            _check_one(_of_validation(config), task)
    return _check_one(config, task)


def _check_one(config: DataConfig, task: str) -> tuple[Source, Chosen]:
    labelled = get_task(task).needs_label
    source = source_of(path_of(config), config.encoding, labelled=labelled)
    columns = source.columns()
    if columns is not None:
        return source, chosen(columns, config, task, source.name)
    if labelled:
        raise ConfigError("data.no-labels-in-text", field="data.path", path=source.name, task=task)
    for key in ("text", "label", "messages", "prompt"):
        if getattr(config, key) is not None:
            raise ConfigError("data.no-columns-in-text", field=f"data.{key}", path=source.name)
    return source, Chosen("text", ["text"])


def holds_turns(config: DataConfig, task: str) -> bool:
    """Whether a row is a conversation, or its prompt and completion are turns of one; reads only the beginning.

    Raises ConfigError as `check_file`.
    """
    source, columns = check_file(config, task)
    if columns.way != "pair":
        return columns.way == "messages"
    _, values = next(source.records(columns.columns), ("", [None]))
    return isinstance(values[0], list)


def load_file(config: DataConfig, task: str, cache: Path) -> Rows:
    """All rows of the file, none held out, but for those of a file of validation.

    Of a large file the rows are kept under `cache` and read from there, one by one.

    Raises ConfigError with the place of a row that can't be used, and where the file changes meanwhile.
    """
    rows = _read(config, task, cache)
    if config.validation is None:
        return rows
    with _about("data.validation"):
        beside = _read(_of_validation(config), task, cache, like=rows)
    notices = [*rows.notices, *beside.notices]
    assert rows.table and beside.table
    if leaked := beside.table.known_in(rows.table):
        notices.append(("data.leak", {"count": leaked, "rows": len(beside.train)}))
    return replace(rows, evaluation=beside.train, notices=tuple(notices))


def state_of(config: DataConfig, task: str) -> State:
    """What tells the content of the files from another."""
    source = source_of(path_of(config), None, labelled=get_task(task).needs_label)
    beside = () if config.validation is None else state_of(_of_validation(config), task)
    return source.state() + beside


def _read(config: DataConfig, task: str, cache: Path, like: Rows | None = None) -> Rows:
    source, columns = _check_one(config, task)
    before = source.state()
    large = sum(size for _, size, _ in before) > LARGE
    folder = _folder(cache, source, columns, before, task) if large else None
    try:
        rows = rows_of(source.records(columns.columns), columns, config, task, source.name, folder=folder, like=like)
    except ConfigError as error:
        raise changed(source.path, before, source.state()) or error from None
    if fault := changed(source.path, before, source.state()):
        raise fault
    return rows


def _folder(cache: Path, source: Source, columns: Chosen, state: State, task: str) -> Path:
    """Where the rows of this content are kept; the first part of its name is the same for every content of the file."""
    encodings = {file.encoding for file in source.files}
    content = [LAYOUT, columns, state, sorted(map(str, encodings)), task]
    return cache / "rows" / f"{digest(str(source.path.resolve()))}-{digest(content)}"


def digest(value: Any) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=10).hexdigest()


def _of_validation(config: DataConfig) -> DataConfig:
    return config.model_copy(update={"path": config.validation, "validation": None})


class _about:
    """Whatever is wrong of a file in here is wrong of another field than `data.path`."""

    def __init__(self, field: str) -> None:
        self.field = field

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, ConfigError) and error.field == "data.path":
            values = {key: value for key, value in error.values.items() if key != "field"}
            raise ConfigError(error.code, field=self.field, **values) from None
