"""How fast the store writes, opens a long run and answers a page that asks again.

    python tests/benchmarks/store_open.py [--updates 1000000] [--micro-batches 4]

Writes one run of so many updates, each with so many micro-batches and a memory sample for every fourth update,
then opens the store anew and reads the run as a page does.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.events import EvaluationDone, MemorySample, MicroBatchDone, RunPlanned, StateChanged, UpdateDone
from engine.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--updates", type=int, default=1_000_000)
    parser.add_argument("--micro-batches", type=int, default=0, help="of each update (default: none)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="birikim-") as folder:
        measure(Path(folder), options.updates, options.micro_batches)


def measure(home: Path, updates: int, micro_batches: int) -> None:
    store = Store(home)
    run = store.create_run({"model": "none"})
    store.write(StateChanged(run=run, state="running"))
    store.write(RunPlanned(run=run, plan={"updates_total": updates + 1000}, facts={}))
    began = time.perf_counter()
    for number in range(1, updates + 1):
        for index in range(1, micro_batches + 1):
            store.write(micro_batch(run, number, index, micro_batches))
        write_update(store, run, number)
        if number % 20_000 == 0:
            # the queue takes all that comes: stay within memory
            store.flush(timeout=600)
    store.flush(timeout=600)
    rate = updates / (time.perf_counter() - began)
    line("written, updates a second", f"{rate:,.0f}")
    store.close()
    line("database, bytes an update", f"{(home / 'birikim.sqlite').stat().st_size / updates:,.0f}")

    opened, store = timed(lambda: Store(home))
    line("store opened, ms", f"{opened:.1f}")
    first, delta = timed(lambda: store.read(run))
    line("first read, ms", f"{first:.1f}")
    again = statistics.median(timed(lambda: store.read(run))[0] for _ in range(5))
    line("first read by the next page, ms", f"{again:.1f}")
    line("points: updates, evaluations, memory", points(delta))
    line("first answer, KiB of JSON", f"{len(json.dumps(delta)) / 1024:,.0f}")

    cursor = delta["cursor"]
    line("poll with nothing new, ms", f"{median_of(lambda: store.read(run, cursor)):.3f}")
    store.write(StateChanged(run=run, state="loading"))
    latencies = []
    for number in range(updates + 1, updates + 501):
        write_update(store, run, number)
        latencies.append(timed(store.flush)[0])
    line("update written to committed, ms", f"{statistics.median(latencies):.3f}")
    line("poll with 500 new updates, ms", f"{median_of(lambda: store.read(run, cursor), 50):.3f}")
    line("list of runs, ms", f"{median_of(store.runs):.3f}")
    store.close()


def write_update(store: Store, run: int, number: int) -> None:
    noise = math.sin(number * 12.9898) * 0.1
    so_far = {"total_examples": number * 32, "total_targets": number * 4000}
    store.write(
        UpdateDone(
            run=run,
            update=number,
            epoch=number / 1000,
            loss=3 / math.log(number + 2) + noise,
            grad_norm=1 + noise * 3,
            learning_rate=1e-4 / number,
            examples=32,
            targets=4000 + number * 7919 % 97,
            micro_batches=4,
            padding=0.3 + noise,
            duration=0.1 + noise / 10,
            seconds=number / 10,
            memory=10**9 + number * 31 % 4096,
            **so_far,
        )
    )
    if number % 4 == 0:
        resident = 10**9 + number * 37 % 8192
        store.write(MemorySample(run=run, seconds=number / 10, update=number, resident=resident, **so_far))
    if number % 100 == 0:
        store.write(
            EvaluationDone(
                run=run,
                update=number,
                epoch=number / 1000,
                loss=3 / math.log(number + 2),
                metrics={"accuracy": 0.5 + noise},
                examples=500,
                targets=500,
                duration=1.0,
                seconds=number / 10,
                **so_far,
            )
        )


def micro_batch(run: int, window: int, index: int, of: int) -> MicroBatchDone:
    return MicroBatchDone(run=run, update=window, index=index, of=of, loss=2.5, weight=1 / of, targets=1000, examples=8)


def points(delta: dict[str, Any]) -> str:
    return ", ".join(f"{len(delta[series]['update']):,}" for series in ("updates", "evaluations", "memory"))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds, and what was returned."""
    began = time.perf_counter()
    returned = call()
    return (time.perf_counter() - began) * 1000, returned


def median_of(call: Callable[[], Any], times: int = 500) -> float:
    return statistics.median(timed(call)[0] for _ in range(times))


def line(what: str, value: str) -> None:
    print(f"{what:<40}{value:>24}", flush=True)


if __name__ == "__main__":
    main()
