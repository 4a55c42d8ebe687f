"""The ledger: every allocation and release of a tensor's storage while it is open, of real and fake tensors alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from engine.memory.account import Category, Phase
from engine.memory.storages import plain_tensors, tensors_in

_COPY = torch.ops.aten._to_copy.default
_PLAIN = frozenset((Tensor, torch.nn.Parameter, FakeTensor))


@dataclass(slots=True)
class Storage:
    """What is known of a storage; `bytes` as it is now, `category` None as long as nothing has claimed it."""

    bytes: int
    shape: tuple[int, ...]
    dtype: torch.dtype
    module: str | None
    category: Category | None = None
    name: str | None = None


@dataclass(slots=True)
class Stretch:
    """A phase of a micro-batch (from 1); it begins before the entry `start` of the log."""

    phase: Phase
    micro_batch: int
    start: int


@dataclass
class Log:
    """What a ledger wrote: (number of the storage, change in bytes, module at work), in order."""

    entries: list[tuple[int, int, str | None]] = field(default_factory=list)
    storages: list[Storage] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)


class _Reference(ref):  # type: ignore[type-arg]
    """A weak reference to a storage that knows its number and its address."""

    __slots__ = ("address", "number")
    address: int
    number: int


class Ledger(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Open it around the work (`with ledger:`); tell it the phases, and what the tensors are.

    A storage is known by its address and counted once, however many tensors view it. It belongs to the first
    category that claims it; what nothing claims is temporary.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.log = Log()
        self.module: str | None = None
        self.depth = 0
        """How many modules are in their forward pass, one inside the other."""
        self._phase: Phase | None = None
        self._known: dict[int, _Reference] = {}
        self._again: list[int] = []

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        # without the references nothing more is written
        self._known.clear()

    def enter(self, phase: Phase, micro_batch: int) -> None:
        """A phase begins."""
        self._settle_again()
        self._phase = phase
        self.module = None
        self.log.stretches.append(Stretch(phase, micro_batch, len(self.log.entries)))

    def claim(self, tensor: Tensor | None, category: Category, name: str | None = None) -> None:
        """Says what a tensor is; one that the ledger has not met yet is counted from now on."""
        for plain in () if tensor is None else plain_tensors(tensor):
            storage = self.log.storages[self._number(plain)]
            if storage.category is None:
                storage.category = category
                storage.name = name

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not _PLAIN.issuperset(types) and any(hasattr(each, "__tensor_flatten__") for each in types):
            # composed of other tensors: those come here next
            return NotImplemented
        result = func(*args, **kwargs) if kwargs else func(*args)
        if type(result) in _PLAIN:
            self._see(result)
            if func is _COPY:
                self._claim_copy(args[0], result)
        else:
            for tensor in tensors_in(result):
                self._see(tensor)
        return result

    def _see(self, tensor: Tensor) -> None:
        if type(tensor) in _PLAIN and tensor.layout is torch.strided and not tensor.is_quantized:
            self._number(tensor)
        else:
            for plain in plain_tensors(tensor):
                self._number(plain)

    def _number(self, tensor: Tensor) -> int:
        """The number of a plain tensor's storage; what is new of it goes into the log."""
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        log = self.log
        known = self._known.get(storage._cdata)
        if known is not None:
            number = known.number
            entry = log.storages[number]
            if size != entry.bytes:
                log.entries.append((number, size - entry.bytes, self.module))
                entry.bytes = size
            return number
        number = len(log.storages)
        reference = _Reference(storage, self._released)
        reference.address, reference.number = storage._cdata, number
        self._known[storage._cdata] = reference
        log.storages.append(Storage(size, tuple(tensor.shape), tensor.dtype, self.module))
        log.entries.append((number, size, self.module))
        if self._phase == "backward":
            self._note_again(number)
        return number

    def _released(self, reference: _Reference) -> None:
        if self._known.get(reference.address) is reference:
            del self._known[reference.address]
            self.log.entries.append((reference.number, -self.log.storages[reference.number].bytes, self.module))

    def _claim_copy(self, source: Tensor, copy: Tensor) -> None:
        """Autocast's copy of a weight neither trains nor grows with the rows, though the forward pass keeps it."""
        known = self._known.get(source.untyped_storage()._cdata) if source.layout is torch.strided else None
        if known is not None and self.log.storages[known.number].category == "weights":
            self.claim(copy, "other")

    # ---- a part of the forward pass that runs again inside the backward pass ----

    def _note_again(self, number: int) -> None:
        if torch.is_grad_enabled():
            if torch._C._current_graph_task_id() != -1:
                self._again.append(number)
        elif self._again and not self.depth:
            self._settle_again()

    def _settle_again(self) -> None:
        """What is left of it once it has run is what the backward pass wants: activations."""
        alive = {reference.number for reference in self._known.values()} if self._again else ()
        for number in self._again:
            storage = self.log.storages[number]
            if storage.category is None and number in alive:
                storage.category = "activations"
        self._again.clear()
