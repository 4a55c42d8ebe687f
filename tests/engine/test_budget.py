"""A budget of memory, counted by hand."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from engine.config import RunConfig
from engine.config.byte_size import bytes_of, size_text
from engine.errors import ConfigError
from engine.memory.budget import BudgetExceeded, LiveBytes, imposed
from engine.memory.exhausted import asked_of, is_out_of_memory
from engine.memory.sampler import capacity

CPU = torch.device("cpu")
KIB = 1024
BASE = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}


@pytest.fixture
def counting() -> Iterator[LiveBytes]:
    with LiveBytes(64 * KIB, CPU) as entered:
        yield entered


def floats(kib: float) -> torch.Tensor:
    return torch.ones(int(256 * kib))


# ---- counting ----


def test_each_storage_counts_once_and_no_longer_than_it_lives(counting: LiveBytes) -> None:
    first = floats(8)
    assert counting.taken == 8 * KIB
    views = [first[:10], first.view(2, -1), first.detach(), first.reshape(-1)]
    assert counting.taken == 8 * KIB
    del first
    assert counting.taken == 8 * KIB
    del views
    assert (counting.taken, counting.peak) == (0, 8 * KIB)


def test_work_in_place_is_free_and_growth_counts(counting: LiveBytes) -> None:
    block = floats(8)
    block.add_(1).mul_(2)
    assert (counting.taken, counting.peak) == (8 * KIB, 8 * KIB)
    block.resize_(256 * 12)
    assert counting.taken == 12 * KIB
    del block
    assert counting.taken == 0


def test_lists_and_sparse_tensors_are_seen(counting: LiveBytes) -> None:
    parts = torch._foreach_add([torch.ones(256), torch.ones(512)], 1)
    assert counting.taken == 3 * KIB
    del parts
    # 256 rows of 4 B × 4 are kept, and two indices of 8 B
    sparse = torch.sparse_coo_tensor([[0, 5]], torch.ones(2, 4), (256, 4), check_invariants=False)
    assert counting.taken == 2 * 16 + 2 * 8
    del sparse
    assert counting.taken == 0


def test_the_backward_pass_is_counted_too(counting: LiveBytes) -> None:
    weight = torch.ones(256, requires_grad=True)
    loss = (weight * weight).sum()
    # the weight, the sum and the product, which nobody needs any more
    assert counting.taken == KIB + 4
    loss.backward()
    assert counting.taken == 2 * KIB + 4
    # ∂ of each factor, and their sum, are alive at once
    assert counting.peak > 2 * KIB + 4


def test_what_passes_the_budget_is_refused_and_not_kept(counting: LiveBytes) -> None:
    kept = floats(60)
    with pytest.raises(torch.OutOfMemoryError, match=r"budget of 64 KiB.*allocate 8 KiB where 60 KiB") as caught:
        floats(8)
    assert asked_of(caught.value) == (8 * KIB, 60 * KIB, 64 * KIB)
    del caught
    assert counting.taken == 60 * KIB and kept.numel()
    assert floats(4).numel() and counting.peak == 64 * KIB


def test_it_is_refused_in_the_middle_of_a_backward_pass() -> None:
    weight = torch.ones(1024, requires_grad=True)
    with LiveBytes(10 * KIB, CPU) as counting:
        counting.take_in([weight])
        loss = weight.exp().sum()
        with pytest.raises(BudgetExceeded):
            loss.backward()
        assert weight.grad is None
        del loss
        assert counting.taken == 4 * KIB


def test_our_own_copies_are_not_held_against_it(counting: LiveBytes) -> None:
    with counting.unseen():
        copies = floats(100)
    assert counting.taken == 0 and copies.numel()


# ---- imposing ----


def test_without_a_budget_and_above_the_device_nothing_is_imposed() -> None:
    for budget in (None, capacity(CPU), 2 * capacity(CPU)):
        with imposed(budget, CPU, []) as limit:
            assert (limit.bytes, limit.imposed, limit.counts) == (capacity(CPU), False, False)
            assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


def test_what_there_is_already_counts_and_may_be_too_much() -> None:
    model = torch.nn.Linear(256, 256, bias=False)
    with imposed(300 * KIB, CPU, [model.weight, model.weight.T]) as limit:
        assert isinstance(limit, LiveBytes) and limit.taken == 256 * KIB
        with pytest.raises(torch.OutOfMemoryError):
            floats(50)
    assert floats(50).numel()
    with pytest.raises(torch.OutOfMemoryError) as caught, imposed(200 * KIB, CPU, model.parameters()):
        pass
    assert asked_of(caught.value) == (256 * KIB, 0, 200 * KIB)
    gc.collect()
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


# ---- sizes in a config ----


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("8GiB", 8 * 2**30),
        ("500MB", 500_000_000),
        ("1.5 GiB", 3 * 2**29),
        ("2kib", 2048),
        (4096, 4096),
        ("7", 7),
        ("9B", 9),
        (8e9, 8_000_000_000),
    ],
)
def test_a_size_is_read_and_comes_back_as_it_was_written(written: Any, size: int) -> None:
    config = RunConfig.from_dict({**BASE, "memory_budget": written})
    assert config.memory_budget_bytes == size
    assert RunConfig.from_yaml(config.to_yaml()) == config
    assert config.to_dict()["memory_budget"] == written


def test_no_budget_leaves_no_trace() -> None:
    config = RunConfig.from_dict({**BASE, "memory_budget": None})
    assert config.memory_budget_bytes is None and "memory_budget" not in config.to_dict()


@pytest.mark.parametrize(
    "written",
    ["8G", "GiB", "lots", "", "-1GiB", "1e3", "8 GiB x", "0", "0GiB", "99999999TiB", 0, -5, 2.5, True, [8], {"a": 1}],
)
def test_what_is_no_size_is_refused_in_one_line(written: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict({**BASE, "memory_budget": written})
    assert (caught.value.code, caught.value.field) == ("config.bytes", "memory_budget")
    assert "8GiB" in caught.value.line and "\n" not in caught.value.line


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (512, "512 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (8 * 2**30, "8 GiB"),
        (1300 * 2**20, "1.27 GiB"),
        (5 * 2**41, "10 TiB"),
    ],
)
def test_a_size_is_told_to_three_digits(size: int, text: str) -> None:
    assert size_text(size) == text
    assert bytes_of(size_text(size)) == pytest.approx(size, rel=0.01)


# ---- what devices say ----


@pytest.mark.parametrize(
    ("problem", "requested", "taken"),
    [
        (
            torch.OutOfMemoryError(
                "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB of which 1.06 "
                "GiB is free. Process 1 has 22.45 GiB memory in use. Of the allocated memory 21.50 GiB is allocated by "
                "PyTorch, and 515.27 MiB is reserved by PyTorch but unallocated."
            ),
            2 * 2**30,
            int(21.5 * 2**30),
        ),
        (
            RuntimeError("[enforce fail at alloc_cpu.cpp:116] . DefaultCPUAllocator: can't allocate memory: you tried "
                         "to allocate 4096 bytes. Error code 12"),
            4096,
            None,
        ),
        (RuntimeError("MPS backend out of memory (MPS allocated: 8.92 GB). Tried to allocate 512.00 MB"), 512 * 10**6,
         None),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), None, None),
        (MemoryError(), None, None),
    ],
)  # fmt: skip
def test_what_a_device_says_is_understood(problem: Exception, requested: int | None, taken: int | None) -> None:
    assert is_out_of_memory(problem)
    assert asked_of(problem) == (requested, taken, None)
