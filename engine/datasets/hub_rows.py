"""Data from the Hugging Face Hub: what was fetched once is read from the home folder's cache, without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from engine import hub
from engine.config import DataConfig
from engine.datasets.columns import Chosen, chosen
from engine.datasets.files import Record
from engine.datasets.own_file import LARGE, LAYOUT, digest
from engine.datasets.reading import rows_of, stream_row
from engine.datasets.rows import Rows
from engine.datasets.streamed import Pass, StreamedRows
from engine.datasets.values import Cell
from engine.errors import ConfigError, reason_of

HELD_OUT = 200
"""Rows of a stream that are evaluated on unless the config says how many."""

FIRST = 64
"""Rows of a stream that are looked at before it is trained on."""


def load_hub(config: DataConfig, task: str, cache: Path, *, seed: int) -> Rows:
    """All rows of the split, none held out but those of `eval_split`; classes that the data names come by name.

    Of a large set the rows are kept under `cache`. With `streaming` they come as they are asked for.

    Raises ConfigError about the id, the configuration, the split or a column.
    """
    with _quiet():
        if config.streaming:
            return _streamed(config, task, seed)
        rows = _read(config, task, cache)
        if config.eval_split is None:
            return rows
        beside = _read(_of_eval_split(config), task, cache, like=rows)
        return replace(rows, evaluation=beside.train, notices=(*rows.notices, *beside.notices))


def _read(config: DataConfig, task: str, cache: Path, like: Rows | None = None) -> Rows:
    name = config.hub or ""
    data = _cached(config, cache / "datasets") or _fetched(config, cache / "datasets")
    columns = chosen(data.column_names, config, task, name)
    folder = None
    if data.data.nbytes > LARGE:
        content = [LAYOUT, columns, data._fingerprint, task]
        folder = cache / "rows" / f"{digest([name, config.config, config.split])}-{digest(content)}"
    return rows_of(_records(data, columns), columns, config, task, name, folder=folder, like=like)


def _records(data: Any, columns: Chosen) -> Iterator[Record]:
    names = _class_names(data, columns)
    position = 0
    for batch in data.select_columns(columns.columns).iter(1000):
        for values in zip(*(batch[column] for column in columns.columns), strict=True):
            position += 1
            yield f"row {position}", _with_names(values, names)


def _class_names(data: Any, columns: Chosen) -> list[str] | None:
    """The classes of the last column, where the data names them."""
    return _names_of((data.features or {}).get(columns.columns[-1]))


def _names_of(feature: Any) -> list[str] | None:
    return getattr(getattr(feature, "feature", feature), "names", None)


def _with_names(values: Sequence[Any], names: list[str] | None) -> list[Any]:
    *before, last = values
    return [*before, last if names is None else _named(last, names)]


def _named(value: Any, names: list[str]) -> Any:
    """A class by its name, or several; None where it is not known."""
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    return names[value] if value is not None and value >= 0 else None


def first_records(config: DataConfig, cache: Path, most: int) -> tuple[list[str], Iterator[Record], bool]:
    """Columns and rows with all of them: of a set that has been fetched, else of a stream; whether `most` are all.

    Nothing that takes long is fetched.
    """
    with _quiet():
        data = None if config.streaming else _cached(config, cache / "datasets")
        if data is None:
            data = _fetched(config, None)
        columns: list[str] = data.column_names or list(next(iter(data), {}))
    names = {key: _names_of((data.features or {}).get(key)) for key in columns}

    def records() -> Iterator[Record]:
        for number, row in enumerate(islice(data, most), 1):
            yield f"row {number}", [_with_names([row[key]], names[key])[0] for key in columns]

    return columns, records(), hasattr(data, "__len__") and len(data) <= most


# ---- streams ----


def _streamed(config: DataConfig, task: str, seed: int) -> StreamedRows:
    name = config.hub or ""
    stream = _fetched(config, None)
    known = stream.column_names or list(next(iter(stream), {}))
    columns = chosen(known, config, task, name)
    names = _class_names(stream, columns)
    first = StreamedRows(
        (), labels=tuple(names) if names else None, problem_type=_problem(config, task, stream, columns)
    )
    with_classes = columns.way == "text" and task in ("text-classification", "token-classification")
    if with_classes and not names and first.problem_type != "regression":
        raise ConfigError("data.stream-classes", field="data.streaming", name=name, column=columns.columns[-1])

    def rows(source: Any) -> Iterator[dict[str, Any]]:
        for number, record in enumerate(source, 1):
            values = _with_names([record.get(column) for column in columns.columns], names)
            row = stream_row([Cell(value, f"row {number}", name) for value in values], columns.way, task, first)
            if row is not None:
                yield row

    wanted = HELD_OUT if config.eval_rows is None else config.eval_rows
    beside = stream if config.eval_split is None else _fetched(_of_eval_split(config), None)
    skip = wanted if config.eval_split is None else 0
    evaluation = list(rows(beside.take(wanted)))
    train = list(islice(rows(stream.skip(skip)), FIRST))
    if not train:
        raise ConfigError("data.no-rows", field="data.text", source=name)
    return replace(first, train=train, evaluation=evaluation, passed=Pass(stream, rows, skip=skip, seed=seed))


def _problem(config: DataConfig, task: str, stream: Any, columns: Chosen) -> Any:
    if task != "text-classification":
        return None
    feature = (stream.features or {}).get(columns.columns[-1])
    if config.problem_type is not None:
        return config.problem_type
    if getattr(feature, "dtype", "").startswith("float"):
        return "regression"
    return "multi_label_classification" if hasattr(feature, "feature") else "single_label_classification"


def _of_eval_split(config: DataConfig) -> DataConfig:
    return config.model_copy(update={"split": config.eval_split, "eval_split": None})


# ---- fetching ----


def _cached(config: DataConfig, cache: Path) -> Any | None:
    from datasets.packaged_modules.cache.cache import Cache

    name = config.hub or ""
    try:
        builder = Cache(
            cache_dir=str(cache), repo_id=name, dataset_name=name.split("/")[-1],
            config_name=config.config, version="auto", hash="auto",
        )  # fmt: skip
        builder.download_and_prepare()
        return builder.as_dataset(config.split)
    # Anything that the cache can't give, the Hub is asked for.
    except Exception:
        return None


def _fetched(config: DataConfig, cache: Path | None) -> Any:
    """The split, whole in `cache`, or as a stream where there is none."""
    from datasets import load_dataset

    name = config.hub or ""
    hub.find(name, "data", "data.hub")
    options = {"streaming": True} if cache is None else {"cache_dir": str(cache)}
    try:
        return load_dataset(name, config.config, split=config.split, **options)
    except ValueError as error:
        reason = " ".join(str(error).split("Example of usage")[0].split())
        if "split" in reason:
            raise ConfigError("data.hub-split", field="data.split", name=name, reason=reason) from None
        if "onfig" in reason:
            raise ConfigError("data.hub-config", field="data.config", name=name, reason=reason) from None
        raise ConfigError("data.hub-failed", field="data.hub", name=name, reason=reason) from None
    except Exception as error:
        raise ConfigError("data.hub-failed", field="data.hub", name=name, reason=reason_of(error)) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """The library's progress bars and warnings would end up in the terminal of whoever opened the page."""
    import datasets

    level = datasets.logging.get_verbosity()
    bars = datasets.utils.logging.is_progress_bar_enabled()
    datasets.logging.set_verbosity_error()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.logging.set_verbosity(level)
        if bars:
            datasets.enable_progress_bars()
