"""Parquet, read column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.errors import ConfigError, reason_of


def columns(path: Path) -> list[str]:
    """The names in the file's schema."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def records(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of columns `names`, row by row."""
    from pyarrow import ArrowException  # type: ignore[import-untyped]

    number = 0
    with _opened(path) as file:
        try:
            for batch in file.iter_batches(columns=list(dict.fromkeys(names))):
                for values in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
                    number += 1
                    yield f"row {number}", values
        except (ArrowException, OSError) as error:
            raise _unreadable(path, error) from None


def _opened(path: Path) -> Any:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]

    try:
        return ParquetFile(path)
    except (ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> ConfigError:
    return ConfigError("data.unreadable", field="data.path", path=str(path), reason=reason_of(error))
