"""A budget of memory, imposed where the device has more: so a large batch runs out of memory on any machine."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from engine.config import RunConfig
from engine.config.byte_size import size_text
from engine.memory.exhausted import Asked
from engine.memory.sampler import available, capacity
from engine.memory.shares import size_of


class BudgetExceeded(torch.OutOfMemoryError):
    """An allocation that passes the budget; it was not kept."""

    def __init__(self, requested: int, taken: int, budget: int) -> None:
        super().__init__(
            f"The memory budget of {size_text(budget)} is exceeded: tried to allocate {size_text(requested)} "
            f"where {size_text(taken)} were taken."
        )
        self.asked = Asked(requested, taken, budget)


class Limit:
    """Bytes that a run may take on its device, and whether they are a budget of less than the device has."""

    def __init__(self, size: int, *, imposed: bool = False) -> None:
        self.bytes = size
        self.imposed = imposed

    @property
    def counts(self) -> bool:
        """Whether the bytes are counted by us and not by the device."""
        return False

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What is allocated meanwhile is not held against the budget."""
        yield


class _Block(weakref.ref[Any]):
    """A storage that is counted, and its bytes."""

    __slots__ = ("place", "size")

    place: int
    size: int


class LiveBytes(Limit, TorchDispatchMode):
    """Counts the bytes of all tensors that operations make on one device, each storage once, while it is entered.

    Operations of this thread are seen, those of their backward pass too. What an operation takes and gives back within
    itself is not. It costs some 10 µs an operation: 4 % of a step of MiniLM (8 × 64), and twice the step of a toy more.

    Raises:
        BudgetExceeded: from the operation whose result passes the budget.
    """

    def __init__(self, size: int, device: torch.device) -> None:
        Limit.__init__(self, size, imposed=True)
        TorchDispatchMode.__init__(self)  # type: ignore[no-untyped-call]
        self.taken = 0
        self.peak = 0
        self._device = device.type
        self._blocks: dict[int, _Block] = {}
        self._blind = False

    @property
    def counts(self) -> bool:
        return True

    @contextmanager
    def unseen(self) -> Iterator[None]:
        before, self._blind = self._blind, True
        try:
            yield
        finally:
            self._blind = before

    def take_in(self, tensors: Iterable[Tensor]) -> None:
        """Counts tensors that were made before."""
        for tensor in tensors:
            self._meet(tensor)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if not self._blind:
            self._meet(result)
        return result

    def _meet(self, found: Any) -> None:
        if isinstance(found, Tensor):
            if found.layout == torch.strided:
                self._count(found.untyped_storage())
            elif found.layout == torch.sparse_coo:
                self._meet((found._indices(), found._values()))
        elif isinstance(found, list | tuple):
            for each in found:
                self._meet(each)

    def _count(self, storage: torch.UntypedStorage) -> None:
        if storage.device.type != self._device:
            return
        size = storage.nbytes()
        block = self._blocks.get(storage._cdata)
        grown = size - (block.size if block else 0)
        if grown <= 0:
            return
        if self.taken + grown > self.bytes:
            raise BudgetExceeded(grown, self.taken, self.bytes)
        if block is None:
            block = _Block(storage, self._gone)
            block.place = storage._cdata
            self._blocks[block.place] = block
        block.size = size
        self.taken += grown
        self.peak = max(self.peak, self.taken)

    def _gone(self, block: _Block) -> None:
        del self._blocks[block.place]
        self.taken -= block.size


@contextmanager
def imposed(budget: int | None, device: torch.device, before: Iterable[Tensor]) -> Iterator[Limit]:
    """Holds what runs inside to `budget` bytes where `device` has more; `before` are the tensors that it begins with.

    On CUDA the allocator refuses, of this process's memory; elsewhere the live bytes are counted.

    Raises:
        torch.OutOfMemoryError: also at once, where `before` alone takes more.
    """
    whole = capacity(device)
    if budget is None or budget >= whole:
        yield Limit(whole)
    elif device.type == "cuda":
        torch.cuda.empty_cache()
        _check(torch.cuda.memory_allocated(device), budget)
        share = torch.cuda.get_per_process_memory_fraction(device)
        torch.cuda.set_per_process_memory_fraction(budget / whole, device)
        try:
            yield Limit(budget, imposed=True)
        finally:
            torch.cuda.set_per_process_memory_fraction(share, device)
    else:
        before = list(before)
        _check(size_of(before, device), budget)
        counting = LiveBytes(budget, device)
        counting.take_in(before)
        with counting:
            yield counting


def limit_of_one_window(config: RunConfig, device: torch.device) -> int | None:
    """Bytes that a window which is gone through for its own sake may take: the config's budget; None without one.

    On a CPU never more than is free, before the system ends a program for it.
    """
    limits = [config.memory_budget_bytes] if config.memory_budget_bytes else []
    if device.type == "cpu":
        limits.append(available(device))
    return min(limits, default=None)


def _check(taken: int, budget: int) -> None:
    if taken > budget:
        raise BudgetExceeded(taken, 0, budget)
