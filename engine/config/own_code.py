"""Where code of the user's own lies: `file.py:name`, in a config on disk and nowhere else."""

from __future__ import annotations

from pathlib import Path

from engine.config.run import RunConfig
from engine.errors import ConfigError

KEYS = ("loss", "trainer")


def parts(place: str) -> tuple[Path, str]:
    """The file and the name in it."""
    path, _, name = place.rpartition(":")
    return Path(path).expanduser(), name


def check_own_code(config: RunConfig, *, allowed: bool) -> None:
    """Whether the files are there; runs nothing.

    Raises ConfigError for a file that is missing, and for any where own code is not `allowed`.
    """
    for key in KEYS:
        place = getattr(config, key)
        if place is None:
            continue
        if not allowed:
            raise ConfigError("config.command-line-only", field=key)
        path, _ = parts(place)
        if not path.is_file():
            raise ConfigError("code.no-file", field=key, path=path)
