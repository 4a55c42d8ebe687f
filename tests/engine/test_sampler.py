"""Memory readings."""

import subprocess
import sys
import time

import psutil
import torch

from engine.memory.sampler import MemoryReader, MemorySampler, Reading, capacity

CPU = torch.device("cpu")


def test_a_reading_counts_the_process_and_its_children() -> None:
    alone = MemoryReader(CPU).read()
    child = subprocess.Popen(
        [sys.executable, "-c", "block = bytearray(80_000_000); print('ready', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout and child.stdin
    child.stdout.readline()
    together = MemoryReader(CPU).read()
    child.communicate(b"\n", timeout=30)
    assert together.resident - alone.resident > 70_000_000


def test_the_peak_is_the_highest_reading_since_the_last_question() -> None:
    readings: list[Reading] = []
    with MemorySampler(CPU, readings.append, interval=0.02) as sampler:
        block = torch.ones(20_000_000)
        deadline = time.monotonic() + 10
        while len(readings) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        high = max(reading.main for reading in readings)
        del block
        assert sampler.peak() >= high
        assert len(readings) >= 3


def test_the_heap_of_a_cpu_rises_with_a_tensor_and_falls_when_it_goes() -> None:
    before = MemoryReader(CPU).read().allocated
    if before is None:
        assert sys.platform != "linux"
        return
    block = torch.ones(20_000_000)
    with_it = MemoryReader(CPU).read().allocated
    del block
    after = MemoryReader(CPU).read().allocated
    assert with_it is not None and after is not None
    assert abs(with_it - before - 80_000_000) < 2_000_000
    assert abs(after - before) < 2_000_000


def test_the_device_s_reading_stands_for_the_run_where_there_is_one() -> None:
    assert Reading(resident=10).main == 10
    assert Reading(resident=10, allocated=4, reserved=6, device_used=8).main == 4


def test_a_cpu_s_capacity_is_the_machine_s_memory() -> None:
    assert capacity(CPU) == psutil.virtual_memory().total
