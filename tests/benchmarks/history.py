"""How long the views of a home with very many runs, one of them very long, take: medians, each of what a page asks.

    python -m tests.benchmarks.history [--runs 10000] [--updates 1000000]

Writes so many runs of twenty updates with an evaluation, one run of so many updates, and asks what the page asks.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.events import RunPlanned, StateChanged
from engine.export.run_file import bring, write_run
from engine.store import Disk, Store
from gui import compare, history, live
from gui.uploads import Uploads
from tests.benchmarks.store_open import line, timed, write_update

UPDATES = 20
BOUND = 500.0
"""Milliseconds that no view may take."""

UPDATE = (
    'run, "update", epoch, loss, grad_norm, learning_rate, examples, targets, micro_batches, padding, duration, '
    "seconds, total_examples, total_targets, memory"
)

PLAN = {"micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 640, "effective_batch": 32}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--updates", type=int, default=1_000_000, help="of the long run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="birikim-") as folder:
        measure(Path(folder), options.runs, options.updates)


def measure(home: Path, runs: int, updates: int) -> None:
    store = Store(home / "home")
    store._writer.do(lambda db: fill(db, store.token, runs - 1), timeout=600)
    for run in range(1, min(runs, 1000)):
        folder = store.home / "runs" / str(run) / "model"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    long = long_run(store, updates)
    line("runs; updates of the longest", f"{runs:,}; {updates:,}")
    line("database, MiB", f"{(store.home / 'birikim.sqlite').stat().st_size / 2**20:,.0f}")

    disk = Disk(store.home)
    measured, _ = timed(lambda: disk.wait(600))
    line("the whole home measured, aside, ms", f"{measured:,.1f}")
    uploads = Uploads(store.home)
    functions = {each.__name__: each for each in history.server_functions(store, disk, uploads)}
    worst = 0.0

    def view(name: str, call: Callable[[], Any], times: int = 9) -> None:
        nonlocal worst
        call()
        median = statistics.median(timed(call)[0] for _ in range(times))
        worst = max(worst, median)
        line(f"{name}, ms", f"{median:,.1f}")

    for name, asked in {
        "the newest runs": {},
        "the 100th page": {"offset": 50 * 99},
        "the last page, oldest first": {"descending": False, "offset": runs - 50},
        "search of a word": {"search": "minilm"},
        "search of three words": {"search": "note 77 finished"},
        "search that finds nothing": {"search": "nowhere"},
        "runs with a tag": {"tag": "baseline"},
        "by last loss": {"sort": "loss", "descending": False},
        "by evaluation loss": {"sort": "eval_loss"},
        "by accuracy": {"sort": "metric.accuracy"},
        "by learning rate": {"sort": "learning_rate"},
        "by disk": {"sort": "bytes"},
        "search, by last loss": {"search": "note 7", "sort": "loss"},
    }.items():
        view(name, lambda asked=asked: functions["history"]({"limit": 50, "descending": True, **asked}))  # type: ignore[misc]
    deltas = next(each for each in live.server_functions(None, store) if each.__name__ == "deltas")  # type: ignore[arg-type]
    view("the long run, whole", lambda: deltas({"run": long, "cursor": ""}))
    cursor = json.loads(json.loads(bytes(deltas({"run": long, "cursor": ""}).body)))["cursor"]
    view("the long run, nothing new", lambda: deltas({"run": long, "cursor": cursor}), 99)
    view("the current run of a new page", lambda: deltas({"run": None, "cursor": ""}))
    comparing = {each.__name__: each for each in compare.server_functions(store)}
    view("twelve runs compared", lambda: comparing["compare"]({"runs": list(range(1, 13))}))
    view(
        "the long run compared with others", lambda: comparing["compare"]({"runs": [long, *range(1, 6)], "below": 0.5})
    )
    view("runs offered to compare", lambda: comparing["comparable"]({"search": "minilm"}))
    view("notes of a run written", lambda: functions["annotate"]({"run": 5, "notes": "said"}), 29)
    view("a run deleted", lambda: functions["delete_runs"]({"runs": [5]}), 29)
    view("a run restored", lambda: functions["restore_runs"]({"runs": [5]}), 29)
    line("the slowest view, ms", f"{worst:,.1f}")
    line(f"every view under {BOUND:,.0f} ms", "yes" if worst < BOUND else "no")

    path = home / "long.birikim"
    line("the long run exported, s", f"{timed(lambda: write_run(store, long, path))[0] / 1000:,.1f}")
    line("its file, MiB", f"{path.stat().st_size / 2**20:,.1f}")
    line("imported, s", f"{timed(lambda: bring(store, path))[0] / 1000:,.1f}")
    store.delete([long])
    line("deleted for good, s", f"{timed(lambda: store.purge([long]))[0] / 1000:,.1f}")
    store.close()


def fill(db: sqlite3.Connection, owner: str, runs: int) -> None:
    """As many runs as the default settings make, with other rates, seeds, tags and notes."""
    drawn = random.Random(0)
    config, now = RunConfig.default().to_dict(), time.time()
    names = "owner, name, state, created, started, ended, seen, config, plan, facts, tags, notes"
    for number in range(runs):
        training = {**config["training"], "learning_rate": drawn.random() * 1e-3, "seed": number}
        row = (
            *(owner, "", "finished", now - runs + number, now - runs + number, now, now),
            *(json.dumps({**config, "training": training}), json.dumps({**PLAN, "updates_total": UPDATES})),
            *(json.dumps({"device": "CPU"}), '["baseline"]' if number % 50 == 0 else "[]", f"note {number}"),
        )
        run = db.execute(f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(row))})", row).lastrowid
        db.executemany(
            f"INSERT INTO updates ({UPDATE}) VALUES ({', '.join('?' * 15)})",
            (
                (run, at, at / 20, drawn.random(), 1.0, 1e-4, 32, 96, 4, 0.2, 0.5, at / 2, 32 * at, 96 * at, 10**9)
                for at in range(1, UPDATES + 1)
            ),
        )
        metrics = json.dumps({"accuracy": drawn.random()})
        told = (run, 1, UPDATES, 1.0, drawn.random(), metrics, 40, 40, 0.1, UPDATES / 2, 32 * UPDATES, 96 * UPDATES)
        db.execute(f"INSERT INTO evaluations VALUES ({', '.join('?' * 12)})", told)


def long_run(store: Store, updates: int) -> int:
    run = store.create_run(RunConfig.default().to_dict())
    store.write(StateChanged(run=run, state="running"))
    store.write(RunPlanned(run=run, plan={**PLAN, "updates_total": updates}, facts={}))
    for number in range(1, updates + 1):
        write_update(store, run, number)
        if number % 20_000 == 0:
            # the queue takes all that comes: stay within memory
            store.flush(timeout=600)
    store.write(StateChanged(run=run, state="finished", code="run.finished"))
    store.flush(timeout=600)
    return run


if __name__ == "__main__":
    main()
