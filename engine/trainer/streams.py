"""The encoded rows of a run, whichever way they come: all in memory, as they are asked for, or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data import IterableDataset, get_worker_info
from torch.utils.data._utils import worker as this_process

from engine.config import RunConfig
from engine.datasets import Rows, StreamedRows
from engine.tasks import Encoded, OnDemand, Streamed, Task


class Stream(IterableDataset[dict[str, Any]]):
    """A stream as a loader takes it; with several workers each reads its share."""

    def __init__(self, streamed: Streamed) -> None:
        self.streamed = streamed
        self.sample = streamed.sample
        self.notices = streamed.notices
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        share = (worker.id, worker.num_workers) if worker else (0, 1)
        return _undivided(self.streamed.encoded(self.epoch, share))

    def longest(self) -> int:
        return self.streamed.max_length * len(self.streamed.task.widths(self.sample[0])) if self.sample else 0


def _undivided(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """`rows`, of which `datasets` does not see that a worker asks: it would hand out a share, of which we took a share.

    Each worker reads the whole stream and keeps its part, since what the library deals are files, of which there may be
    one.
    """
    while True:
        known: Any = get_worker_info()
        this_process._worker_info = None
        try:
            row = next(rows, None)
        finally:
            this_process._worker_info = known
        if row is None:
            return
        yield row


def encoded(task: Task, rows: Rows, tokenizer: Any, max_length: int) -> Encoded | OnDemand | Stream:
    """The rows to train on."""
    if isinstance(rows, StreamedRows):
        return Stream(Streamed(task, rows.train, rows.passed, tokenizer, max_length))
    return part_encoded(task, rows.train, tokenizer, max_length)


def part_encoded(task: Task, rows: Any, tokenizer: Any, max_length: int) -> Encoded | OnDemand:
    """Rows whose number is known: those that lie on the disk are encoded as they are asked for."""
    if isinstance(rows, list | tuple):
        return task.encode(rows, tokenizer, max_length)
    return OnDemand(task, rows, tokenizer, max_length)


def rows_in(train: Encoded | OnDemand | Stream, config: RunConfig) -> int:
    """Rows of a pass; of a stream those that all updates take, as if they were one pass."""
    if isinstance(train, Stream):
        updates = int(config.setting("max_steps"))
        return updates * config.micro_batch * config.accumulation_steps * config.processes
    return len(train)
