"""Data from the Hugging Face Hub: what was fetched once is read from the home folder's cache, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import hub
from engine.config import DataConfig
from engine.datasets.columns import chosen, rows_of
from engine.datasets.rows import Rows
from engine.errors import ConfigError, reason_of


def load_hub(config: DataConfig, task: str, cache: Path) -> Rows:
    """All rows of the split, none held out; classes that the data names come by name.

    Raises ConfigError about the id, the configuration, the split or a column.
    """
    name = config.hub or ""
    with _quiet():
        data = _cached(config, cache) or _fetched(config, cache)
        return rows_of(_records(data, chosen(data.column_names, config, task, name)), config, task, name)


def _records(data: Any, columns: list[str]) -> Iterator[tuple[str, list[Any]]]:
    feature = data.features[columns[-1]]
    names = getattr(getattr(feature, "feature", feature), "names", None)
    position = 0
    for batch in data.select_columns(columns).iter(1000):
        for values in zip(*(batch[column] for column in columns), strict=True):
            position += 1
            *before, last = values
            yield f"row {position}", [*before, last if names is None else _named(last, names)]


def _named(value: Any, names: list[str]) -> Any:
    """A class by its name, or several; None where it is not known."""
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    return names[value] if value is not None and value >= 0 else None


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


def _fetched(config: DataConfig, cache: Path) -> Any:
    from datasets import load_dataset

    name = config.hub or ""
    hub.find(name, "data", "data.hub")
    try:
        return load_dataset(name, config.config, split=config.split, cache_dir=str(cache))
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
