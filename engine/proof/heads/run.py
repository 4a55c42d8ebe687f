"""Proves many heads at once, each in a process of its own, and hands the results out in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from queue import SimpleQueue

from engine.proof.heads.mapping import Head, all_heads
from engine.proof.heads.result import HeadResult


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
        self.closed = False
        self._start()

    def _start(self) -> None:
        environment = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "engine.proof.heads.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **environment},
            start_new_session=True,
        )

    def prove(self, head: Head) -> HeadResult:
        assert self._process.stdin and self._process.stdout
        try:
            print(json.dumps(asdict(head)), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        if answer:
            return HeadResult.from_dict(json.loads(answer))
        self._end()
        if not self.closed:
            self._start()
        return HeadResult.of(head, reason="crashed", detail="the proving process ended")

    def close(self) -> None:
        self.closed = True
        self._end()

    def _end(self) -> None:
        """Ends the process and the child that it may be waiting for."""
        if hasattr(os, "killpg"):
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        else:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    pass
