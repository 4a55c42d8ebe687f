"""Readings of memory while a run goes on, from a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil
import torch

from engine.answering.apart import APART
from engine.memory.heap import heap_in_use

CHILDREN_EVERY = 5.0
"""Seconds between looks for child processes: the search goes through all processes of the machine."""


@dataclass(frozen=True)
class Reading:
    """Bytes: `resident` of the process and its children, `allocated` what its allocator has handed out on the device.

    On a CPU that is the heap in use, None where the system can't tell. On a GPU alone: what the allocator keeps
    `reserved`, and `device_used` by everyone on the device, the context too, which the allocator does not see.
    """

    resident: int
    allocated: int | None = None
    reserved: int | None = None
    device_used: int | None = None

    @property
    def main(self) -> int:
        """The reading that stands for the run: what is allocated where that can be told."""
        return self.resident if self.allocated is None else self.allocated


class MemoryReader:
    """Reads the memory of this process and of `device`."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._process = psutil.Process()
        self._children: list[psutil.Process] = []
        self._looked = 0.0

    def read(self) -> Reading:
        resident = self._process.memory_info().rss + sum(map(_resident, self._family()))
        if self._device.type == "cuda":
            free, total = torch.cuda.mem_get_info(self._device)
            return Reading(
                resident,
                torch.cuda.memory_allocated(self._device),
                torch.cuda.memory_reserved(self._device),
                total - free,
            )
        if self._device.type == "mps":
            driver = torch.mps.driver_allocated_memory()
            return Reading(resident, torch.mps.current_allocated_memory(), driver, driver)
        return Reading(resident, heap_in_use())

    def _family(self) -> list[psutil.Process]:
        if time.monotonic() - self._looked > CHILDREN_EVERY:
            self._looked = time.monotonic()
            self._children = [child for child in self._process.children(recursive=True) if child.pid not in APART]
        return self._children


def capacity(device: torch.device) -> int:
    """Bytes that `device` has in all; the machine's memory for a CPU."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    if device.type == "mps":
        return int(torch.mps.recommended_max_memory())
    return int(psutil.virtual_memory().total)


def available(device: torch.device) -> int:
    """Bytes of `device` that nothing takes now, on a GPU what this process holds already besides."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0]) + torch.cuda.memory_reserved(device)
    if device.type == "mps":
        return capacity(device) - torch.mps.driver_allocated_memory() + torch.mps.current_allocated_memory()
    return int(psutil.virtual_memory().available)


class MemorySampler:
    """Takes a reading every `interval` seconds and hands it to `sampled`; keeps the peak for the updates."""

    def __init__(self, device: torch.device, sampled: Callable[[Reading], None], interval: float = 0.5) -> None:
        self._reader = MemoryReader(device)
        self._device = device
        self._sampled = sampled
        self._interval = interval
        self._peak = 0
        self._noted = 0
        self._aside = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="birikim-memory", daemon=True)

    def __enter__(self) -> MemorySampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def peak(self) -> int:
        """The highest reading in bytes since the last call; the allocator's own peak on CUDA."""
        if self._device.type == "cuda":
            peak = max(self._noted, torch.cuda.max_memory_allocated(self._device))
            self._noted = 0
            torch.cuda.reset_peak_memory_stats(self._device)
            return peak
        peak, self._peak = self._peak, 0
        return max(peak, self._reader.read().main)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is taken inside is no peak of the run; CUDA's own peak may be reset."""
        if self._device.type == "cuda":
            self._noted = max(self._noted, torch.cuda.max_memory_allocated(self._device))
        self._aside = True
        try:
            yield
        finally:
            self._aside = False
            if self._device.type == "cuda":
                torch.cuda.reset_peak_memory_stats(self._device)

    def _loop(self) -> None:
        while not self._over.wait(self._interval):
            reading = self._reader.read()
            if not self._aside:
                self._peak = max(self._peak, reading.main)
            self._sampled(reading)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
