"""Rows from a file of the user's own."""

from __future__ import annotations

from pathlib import Path

from engine.config import DataConfig
from engine.datasets.columns import chosen, rows_of
from engine.datasets.files import Format, format_of
from engine.datasets.rows import Rows
from engine.errors import ConfigError, reason_of
from engine.tasks import get_task


def path_of(config: DataConfig) -> Path:
    """The file's path. Raises ConfigError for what can be none: an unknown home folder, too long a name."""
    try:
        path = Path(config.path or "").expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or reason_of(error)
        raise ConfigError("data.no-path", field="data.path", path=config.path, reason=reason) from None
    return path


def check_file(config: DataConfig, task: str) -> tuple[Format, list[str]]:
    """The file's format, and its text column and label column; reads only the beginning of the file.

    Raises ConfigError as `engine.datasets.check`.
    """
    path = path_of(config)
    form = format_of(path)
    columns = form.columns(path)
    if columns is not None:
        return form, chosen(columns, config, task, path.name)
    if get_task(task).needs_label:
        raise ConfigError("data.no-labels-in-text", field="data.path", path=path.name, task=task)
    for key, name in (("text", config.text), ("label", config.label)):
        if name is not None:
            raise ConfigError("data.no-columns-in-text", field=f"data.{key}", path=path.name)
    return form, ["text"]


def load_file(config: DataConfig, task: str) -> Rows:
    """All rows of the file, none held out. Raises ConfigError with the place of a row that can't be used."""
    form, columns = check_file(config, task)
    path = path_of(config)
    return rows_of(form.records(path, columns), config, task, path.name)
