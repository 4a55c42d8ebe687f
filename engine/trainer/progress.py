"""Where a run stands: written by the training thread, read by the memory sampler."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class Stopwatch:
    """Seconds of work: runs from `start`, stands still between `hold` and `release`, counts on from `before`."""

    def __init__(self, before: float = 0.0) -> None:
        self._before = before
        self._began: float | None = None
        self._held_at: float | None = None
        self._held = 0.0

    def start(self) -> None:
        self._began, self._held_at, self._held = time.perf_counter(), None, 0.0

    def hold(self) -> None:
        self._held_at = time.perf_counter()

    def release(self) -> None:
        if self._held_at is not None:
            self._held += time.perf_counter() - self._held_at
            self._held_at = None

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Stands still inside."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    @property
    def started(self) -> bool:
        return self._began is not None

    @property
    def held(self) -> bool:
        return self._held_at is not None

    @property
    def seconds(self) -> float:
        if self._began is None:
            return self._before
        held_at = self._held_at
        return (held_at if held_at is not None else time.perf_counter()) - self._began - self._held + self._before


@dataclass
class Progress:
    """Updates done, the share of the next window done (0 to 1), and totals over the run.

    `tokens` is None in a run that goes on from where nobody had counted them.
    """

    updates: int = 0
    share: float = 0.0
    examples: int = 0
    targets: int = 0
    tokens: int | None = 0
    clock: Stopwatch = field(default_factory=Stopwatch)

    @property
    def position(self) -> float:
        """Fractional updates: 3.5 is half-way through the window of update 4."""
        return self.updates + self.share
