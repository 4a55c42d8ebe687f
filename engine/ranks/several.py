"""Several processes that torch.distributed has joined.

What they agree on goes through a group of their own on the host, beside the one of the gradients: it waits for no
device. Gradients are reduced once an update; the order to go on, 16 bytes, is passed on before each micro-batch.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from transformers import set_seed

from engine.config import RunConfig
from engine.errors import RunStopped
from engine.ranks.group import Ranks

T = TypeVar("T")

WAIT, GO, STOP = range(3)
"""What the leader tells those who wait for it."""

TELL = 1.0
"""Seconds between two words of a leader that works alone."""

PATIENCE = 600.0
"""Seconds that a process may keep the others waiting, where the config says nothing else (`ddp_timeout`)."""

_LOST = re.compile(r"gloo|nccl|process ?group", re.IGNORECASE)
"""What the libraries that carry the values name in their failures. A loader of data times out too."""


class Several(Ranks):
    """The processes that `torchrun` or `accelerate launch` has started. They end as processes do."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """Joins them. `patience`: seconds after which a process that has not answered counts as lost."""
        self.rank, self.size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self.local = int(os.environ["LOCAL_RANK"])
        self.sharded = os.environ.get("ACCELERATE_USE_FSDP", "false").lower() in ("1", "true")
        self.patience = timedelta(seconds=patience)
        self.entered = 0
        """How often this process has met the others: who lags behind has the lowest number."""
        if self.local < torch.cuda.device_count():
            torch.cuda.set_device(self.local)
        backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(backend, timeout=self.patience)
        self._group = dist.new_group(backend="gloo", timeout=self.patience)
        self._told_at = 0.0

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        if self.local:
            self.gather(None)
        yield
        if not self.local:
            self.gather(None)

    def gather(self, value: T) -> list[T]:
        self.entered += 1
        found: list[Any] = [None] * self.size
        dist.all_gather_object(found, value, group=self._group)
        return found

    def told(self, value: T) -> T:
        self.entered += 1
        box = [value if self.leads else None]
        dist.broadcast_object_list(box, src=0, group=self._group)
        return box[0]  # type: ignore[return-value]

    def led(self, work: Callable[[], None], watched: Callable[[], bool] = lambda: False) -> bool:
        self.entered += 1
        if not self.leads:
            while (order := self._order())[0] == WAIT:
                pass
            if order[0] == STOP:
                raise RunStopped("run.stopped")
            return bool(order[1])
        self._told_at = time.monotonic()
        try:
            work()
        except RunStopped:
            self._order(STOP)
            raise
        seen = watched()
        self._order(GO, seen)
        return seen

    def waiting(self) -> None:
        if self.leads and time.monotonic() - self._told_at >= TELL:
            self._told_at = time.monotonic()
            self._order(WAIT)

    def begin_window(self, seed: int, window: int) -> None:
        if not self.leads:
            # what a process draws follows from the run's seed, the window and its number: no checkpoint need hold it
            set_seed((seed * 1_000_003 + window * 10_007 + self.rank) % 2**32)

    def _order(self, order: int = WAIT, watched: bool = False) -> tuple[int, int]:
        told = torch.tensor([order, int(watched)])
        dist.broadcast(told, src=0, group=self._group)
        return int(told[0]), int(told[1])


def patience_of(config: RunConfig) -> float:
    """Seconds that a process of `config` may keep the others waiting."""
    return float(config.training.get("ddp_timeout", PATIENCE))


def is_lost(problem: BaseException) -> bool:
    """Whether a failure is one of the connection to another process."""
    if isinstance(problem, dist.DistError | ConnectionError):
        return True
    return isinstance(problem, RuntimeError) and _LOST.search(str(problem)) is not None
