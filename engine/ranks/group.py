"""What a trainer knows of the processes that train with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

T = TypeVar("T")


class Ranks:
    """The processes of a run, numbered from 0, of which process 0 leads; this class stands for one process alone.

    Each call below is made by all of them, in one order. `sharded`: the weights lie in parts, one on each process, and
    every pass is made by all of them together.
    """

    rank = 0
    size = 1
    sharded = False

    @property
    def leads(self) -> bool:
        return self.rank == 0

    @property
    def several(self) -> bool:
        return self.size > 1

    def gather(self, value: T) -> list[T]:
        """The value of each process, in their order. Plain values and tensors on the host, of little size."""
        return [value]

    def told(self, value: T) -> T:
        """The leader's value."""
        return value

    def led(self, work: Callable[[], None], watched: Callable[[], bool] = lambda: False) -> bool:
        """Lets the leader do `work`, which may wait long, while the others wait; returns what `watched` then gives it.

        RunStopped that leaves the leader's work leaves all. Whoever works long calls `waiting` now and then.
        """
        work()
        return watched()

    def waiting(self) -> None:
        """Called by the leader inside `led`: the others learn that it is well."""
        return

    def in_turn(self) -> AbstractContextManager[None]:
        """Inside, the first process of each machine goes before the others: what it leaves on the disk is there."""
        return nullcontext()

    def begin_window(self, seed: int, window: int) -> None:
        """Gives each process random numbers of its own; the leader's stay as they are."""
        return
