"""Parquet, read column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.datasets.files.decoding import TextFile
from engine.errors import ConfigError, reason_of

BATCH = 1000
"""Rows read at once."""


def columns(file: TextFile) -> list[str]:
    """The names in the file's schema."""
    with _opened(file.path) as opened:
        return list(opened.schema_arrow.names)


def records(file: TextFile, names: Sequence[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The values of columns `names`, row by row."""
    from pyarrow import ArrowException  # type: ignore[import-untyped]

    number = 0
    with _opened(file.path) as opened:
        try:
            for batch in opened.iter_batches(batch_size=BATCH, columns=list(dict.fromkeys(names)), use_threads=False):
                for values in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
                    number += 1
                    yield f"row {number}", values
        except (ArrowException, OSError) as error:
            raise _unreadable(file.path, error) from None


def _opened(path: Path) -> Any:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]

    try:
        # in pieces, so that a row group is not held whole
        return ParquetFile(path, buffer_size=2**20, pre_buffer=False)
    except (ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> ConfigError:
    return ConfigError("data.unreadable", field="data.path", path=str(path), reason=reason_of(error))
