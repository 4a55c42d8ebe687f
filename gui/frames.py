"""What a page that watches a run is told of it: news since a cursor, ready to be drawn."""

from __future__ import annotations

from typing import Any

import orjson

from engine import ALIVE, BirikimError, Reading, RunConfig, StoreError, checkpoints
from gui.faults import fault_of, words_of
from gui.turns import waits_for

POINTS = 4000
OF_MICRO_BATCH = ("update", "index", "of", "loss", "weight", "targets", "examples")


def frame_of(store: Reading, run: int | None, cursor: str) -> dict[str, Any]:
    """What `Store.read` gives of `run`, with its `yaml` where that is told anew; `fault` says why nothing is shown."""
    fault = None
    news: dict[str, Any] | None = None
    if run is not None:
        try:
            news = store.read(run, cursor, POINTS)
        except BirikimError as error:
            fault = fault_of(error)
    if news is not None and news["run"]["kind"] != "train":
        news, fault = None, fault_of(StoreError("store.no-run", run=run))
    if news is None:
        return {"fault": fault, "run": None}
    found = news["run"]
    found["waits_for"] = waits_for(store, found["state"], found["owned"])
    found["checkpoint"] = _last_checkpoint(store, found)
    if found["code"] and not found["message"]:
        found["message"], found["remedy"] = words_of(found["code"], found["values"])
    return {"fault": None, **news, "yaml": yaml_of(found["config"]) if news["reset"] else None}


def watched_of(store: Reading, run: int, after: int) -> dict[str, Any]:
    """What `Store.watched` gives, and `told`: the losses and weights of its windows. Raises StoreError: no such run."""
    found = store.watched(run, after)
    windows = sorted({each["update"] for part in ("micro_batches", "windows") for each in found[part]})
    rows = [row for update in windows for row in store.micro_batches(run, update)]
    return {**found, "told": [{name: row[name] for name in OF_MICRO_BATCH} for row in rows]}


def _last_checkpoint(store: Reading, run: dict[str, Any]) -> int | None:
    """The update after which the last whole checkpoint was written; what has ended may have lost some since."""
    if run["state"] in ALIVE:
        return max((run["facts"] or {}).get("checkpoints", ()), default=None)
    return max((each.update for each in checkpoints(store.home, run["id"]) if each.whole), default=None)


def yaml_of(config: dict[str, Any]) -> str:
    """A run's config as one reads it."""
    try:
        return RunConfig.from_dict(config).to_yaml()
    except BirikimError:
        # written by another version, whose settings this one does not know
        return orjson.dumps(config, option=orjson.OPT_INDENT_2).decode()
