"""Proves many heads at once, each in a process of its own, and hands the results out in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue

from engine.proof.heads.mapping import Head, all_heads
from engine.proof.heads.result import HeadResult

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""One thread a process, no GPU, no network."""


def prove_heads(*, only: Callable[[Head], bool] | None = None, workers: int | None = None) -> Iterator[HeadResult]:
    """The result of each head that `only` keeps, in the order of `all_heads`, as soon as it is there.

    `workers` processes of one thread each do it; without a number, one for each core.
    """
    heads = [head for head in all_heads() if only is None or only(head)]
    yield from _proved(heads, min(workers or os.cpu_count() or 1, max(1, len(heads))))


def _proved(heads: Sequence[Head], workers: int) -> Iterator[HeadResult]:
    free: SimpleQueue[Worker] = SimpleQueue()
    started = [Worker() for _ in range(workers)]
    for worker in started:
        free.put(worker)

    def prove(head: Head) -> HeadResult:
        worker = free.get()
        try:
            return worker.prove(head)
        finally:
            free.put(worker)

    with ThreadPoolExecutor(workers) as threads:
        try:
            yield from threads.map(prove, heads)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for worker in started:
                worker.close()


class Worker:
    """One proving process, begun anew when it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self.process = _process()

    def prove(self, head: Head) -> HeadResult:
        process = self.process
        assert process.stdin and process.stdout
        try:
            print(json.dumps(asdict(head)), file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except (OSError, ValueError):
            answer = ""
        if answer:
            return HeadResult.from_dict(json.loads(answer))
        with self._lock:
            if not self._closed:
                _end(process)
                self.process = _process()
        return HeadResult.of(head, reason="crashed", detail="the proving process ended")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            _end(self.process)


def _process() -> subprocess.Popen[str]:
    root = str(Path(__file__).parents[3])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "engine.proof.heads.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": paths},
        start_new_session=True,
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the process and the child that it may be waiting for."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(OSError):
                pipe.close()
