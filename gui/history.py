"""What the list of runs asks the program for: a page of it, and what is done with the runs that were chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Response

from engine import ALIVE, Disk, Run, Store, StoreError, import_run
from gui.answers import Asked, ServerFunction, answer
from gui.text import TABLES
from gui.uploads import NotTaken, Uploads, safe_name

MOST = 100
"""Runs on a page."""
MOST_CHOSEN = 1000
SHOWN = (
    *("id", "name", "title", "tags", "notes", "state", "config", "plan", "update", "loss", "eval_loss", "eval_metrics"),
    *("created", "started", "seconds", "deleted"),
)

ENDED = ("finished", "stopped", "failed", "interrupted")
STATES = {state: " ".join(table[f"state.{state}"] for table in TABLES.values()) for state in (*ALIVE, *ENDED)}
"""What people of any language call a state."""
CALLED = tuple(table["runs.run"] for table in TABLES.values())
"""What they call a run."""

Answer = dict[str, Any]


def server_functions(store: Store, disk: Disk, uploads: Uploads) -> list[ServerFunction]:
    def history(request: Any) -> Response:
        """`{search, tag, sort, descending, offset, limit, deleted}` → `{runs, total, tags, bin, disk}`.

        Of each run what the list shows, and the `bytes` of its folder. `tags`: how many runs have each. `bin` and
        `disk`: as `_disk`.
        """
        return answer(lambda: _history(store, disk, Asked(request)))

    def annotate(request: Any) -> Response:
        """`{run, title, tags, notes}` → `{title, tags, notes}` as they are kept now, or `{fault}`."""
        return answer(lambda: _annotate(store, Asked(request)))

    def delete_runs(request: Any) -> Response:
        """`{runs}` → `{}`: they are in the bin; or `{fault}`, and none of them is."""
        return answer(lambda: _done(store.delete, request))

    def restore_runs(request: Any) -> Response:
        """`{runs}` → `{}`: they are no longer in the bin; or `{fault}`."""
        return answer(lambda: _done(store.restore, request))

    def purge_runs(request: Any) -> Response:
        """`{runs}` → `{}`: what was in the bin is gone for good; or `{fault}`."""
        return answer(lambda: _purge(store, disk, _chosen(request)))

    def bring_run(request: Any) -> Response:
        """`{arrived, name}` → `{run}`: what was uploaded is a run of this home now; or `{fault}`."""
        return answer(lambda: _import(store, uploads, Asked(request)))

    return [history, annotate, delete_runs, restore_runs, purge_runs, bring_run]


def _history(store: Store, disk: Disk, asked: Asked) -> Answer:
    use = disk.use()
    found = store.history(
        asked.text("search"),
        tag=asked.text("tag") or None,
        sort=asked.text("sort") or "id",
        descending=asked.yes("descending"),
        offset=asked.number("offset") or 0,
        limit=min(asked.number("limit") or 50, MOST),
        deleted=asked.yes("deleted"),
        sizes=use.runs if use else {},
        states=STATES,
        called=CALLED,
    )
    sizes = disk.of([run.id for run in found["runs"]])
    return {
        "runs": [{**_shown(run), "bytes": sizes[run.id]} for run in found["runs"]],
        "total": found["total"],
        "tags": store.tags(),
        **_disk(store, disk),
    }


def _disk(store: Store, disk: Disk) -> Answer:
    """`bin`: how many `runs` are in it, and their `bytes`; `disk`: bytes of the `whole`, the `runs`, the `database`.

    Nothing of it is known until it has been measured.
    """
    use, deleted = disk.use(), store.in_bin()
    if use is None:
        return {"bin": {"runs": len(deleted), "bytes": None}, "disk": None}
    return {
        "bin": {"runs": len(deleted), "bytes": sum(use.runs.get(run, 0) for run in deleted)},
        "disk": {"whole": use.whole, "runs": sum(use.runs.values()), "database": use.database},
    }


def _annotate(store: Store, asked: Asked) -> Answer:
    run, tags = asked.run(), asked.plain("tags")
    known = isinstance(tags, list) and len(tags) <= MOST_CHOSEN and all(isinstance(tag, str) for tag in tags)
    texts = {name: text for name in ("title", "notes") if isinstance(text := asked.plain(name), str)}
    store.annotate(run, tags=tags if known else None, **texts)
    kept = store.run(run)
    return {"title": kept.title, "tags": kept.tags, "notes": kept.notes}


def _purge(store: Store, disk: Disk, runs: list[int]) -> Answer:
    try:
        store.purge(runs)
    finally:
        disk.forget()
    return {}


def _import(store: Store, uploads: Uploads, asked: Asked) -> Answer:
    try:
        with uploads.passing(asked.text("arrived")) as file:
            return {"run": import_run(store, file, safe_name(asked.text("name")))}
    except NotTaken as refused:
        return {"fault": refused.fault}


def _chosen(request: Any) -> list[int]:
    """The numbers of runs in a request. Raises StoreError for what is none."""
    runs = Asked(request).plain("runs")
    if not isinstance(runs, list) or not runs:
        raise StoreError("store.which-run")
    if len(runs) > MOST_CHOSEN:
        raise StoreError("history.many-runs", most=MOST_CHOSEN)
    for run in runs:
        if not isinstance(run, int) or isinstance(run, bool) or not 0 < run < 2**53:
            raise StoreError("store.no-run", run=str(run))
    return runs


def _done(what: Callable[[list[int]], None], request: Any) -> Answer:
    what(_chosen(request))
    return {}


def _shown(run: Run) -> Answer:
    return {name: getattr(run, name) for name in SHOWN}
