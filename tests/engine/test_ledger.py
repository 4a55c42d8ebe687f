"""The ledger against bytes counted by hand."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.checkpoint import checkpoint

from engine.memory.account import Category
from engine.memory.ledger import Ledger, Log
from engine.memory.reading import POINTS, read
from engine.memory.watch import claim_state, watched


def parts(log: Log) -> dict[Category, int]:
    """The categories at the peak that are not empty."""
    return {category: count for category, count in read(log).parts.items() if count}


def alive(log: Log) -> dict[str, int]:
    """Bytes that are left at the end, by category."""
    left: dict[str, int] = {}
    for number, change, _ in log.entries:
        category = log.storages[number].category or "other"
        left[category] = left.get(category, 0) + change
    return {category: count for category, count in left.items() if count}


def ledger_of(work: Callable[[], Any]) -> Log:
    """What a ledger writes of `work`, whose result lives until the end."""
    with Ledger() as ledger:
        ledger.enter("forward", 1)
        kept = work()
    del kept
    return ledger.log


def linear_window(update: Callable[[Any], torch.optim.Optimizer], *, fake: bool = False) -> Log:
    """Two micro-batches of 2 rows of 4 numbers through a 4 → 3 layer without bias, then the update."""
    with FakeTensorMode() if fake else nullcontext():
        model = nn.Linear(4, 3, bias=False)
        optimizer = update(model.parameters())
        with Ledger() as ledger, watched(model, ledger):
            for number in (1, 2):
                ledger.enter("forward", number)
                loss = model(torch.ones(2, 4)).square().sum()
                ledger.enter("backward", number)
                loss.backward()
                del loss
            ledger.enter("update", 2)
            optimizer.step()
            claim_state(ledger, optimizer, model)
            optimizer.zero_grad()
    return ledger.log


@pytest.mark.parametrize("fake", [False, True])
def test_a_linear_layer_under_sgd_peaks_in_its_second_backward_pass(fake: bool) -> None:
    # weight 3·4·4 = 48; its gradient of the first micro-batch 48
    # kept for backward: input 2·4·4 = 32, output 2·3·4 = 24
    # on their way: the loss 4, its gradient 4, 2·output 24, gradient × 1 … 24, and their product 24
    found = read(linear_window(lambda weights: torch.optim.SGD(weights, lr=0.1, foreach=False), fake=fake))
    assert found.peak_bytes == 48 + 48 + 56 + 80
    assert found.parts == {"weights": 48, "gradients": 48, "optimizer": 0, "activations": 56, "other": 80}
    assert (found.moment.phase, found.moment.micro_batch) == ("backward", 2)


@pytest.mark.parametrize("fake", [False, True])
def test_a_linear_layer_under_adamw_peaks_in_its_update(fake: bool) -> None:
    # two averages of the weight's size and a step count of 4 bytes; on their way a root and its quotient, 48 each
    log = linear_window(lambda weights: torch.optim.AdamW(weights, foreach=False), fake=fake)
    found = read(log)
    assert found.parts == {"weights": 48, "gradients": 48, "optimizer": 100, "activations": 0, "other": 96}
    assert found.moment.phase == "update"
    assert [(each.name, each.bytes) for each in found.largest[:4]] == [
        ("weight", 48), ("weight", 48), ("weight.exp_avg", 48), ("weight.exp_avg_sq", 48),
    ]  # fmt: skip
    assert alive(log) == {"weights": 48, "optimizer": 100}


def test_the_saw_tooth_has_a_span_a_phase_and_keeps_each_one_s_peak() -> None:
    log = linear_window(lambda weights: torch.optim.SGD(weights, lr=0.1, foreach=False))
    trace = read(log).trace
    assert [(span.phase, span.micro_batch) for span in trace.spans] == [
        ("forward", 1), ("backward", 1), ("forward", 2), ("backward", 2), ("update", 2),
    ]  # fmt: skip
    totals = [sum(at) for at in zip(*trace.bytes.values(), strict=True)]
    assert max(totals) == read(log).peak_bytes
    assert trace.spans[-1].end == len(totals)


def test_a_long_trace_is_thinned_and_keeps_its_peak() -> None:
    def work() -> None:
        for size in range(5000):
            torch.empty(size % 977)

    found = read(ledger_of(work))
    totals = [sum(at) for at in zip(*found.trace.bytes.values(), strict=True)]
    assert len(totals) <= POINTS
    assert max(totals) == found.peak_bytes


# ---- what a storage is ----


def test_views_and_tensors_that_share_a_storage_count_once() -> None:
    def work() -> list[Tensor]:
        whole = torch.zeros(10, 10)
        return [whole, whole[2:], whole.t(), whole.expand(5, 10, 10), whole.detach(), whole.view(100)]

    assert alive(ledger_of(work)) == {"other": 400}


def test_a_view_keeps_its_whole_storage_alive() -> None:
    assert alive(ledger_of(lambda: torch.zeros(1000)[:1])) == {"other": 4000}


def test_tied_weights_count_once() -> None:
    model = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 5, bias=False))
    model[1].weight = model[0].weight
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
        model(torch.tensor([1])).sum().backward()
    assert alive(ledger.log)["weights"] == 5 * 4 * 4
    assert alive(ledger.log)["gradients"] == 5 * 4 * 4


def test_growth_in_place_is_counted_where_it_happens() -> None:
    def work() -> Tensor:
        block = torch.empty(10)
        block.resize_(100)
        block.resize_(0)
        torch.cat([torch.ones(50), torch.ones(150)], out=block)
        return block

    log = ledger_of(work)
    assert alive(log) == {"other": 800}
    # 200 and 600 bytes that are laid end to end into 800
    assert read(log).peak_bytes == 800 + 200 + 600
    assert [change for _, change, _ in log.entries[:2]] == [40, 360]


def test_an_update_in_place_takes_nothing() -> None:
    block = torch.ones(100)
    with Ledger() as ledger:
        ledger.claim(block, "weights")
        ledger.enter("update", 1)
        block.add_(1).mul_(2)
        torch._foreach_add_([block], 1.0)
    assert read(ledger.log).peak_bytes == 400


def test_buffers_count_as_weights() -> None:
    model = nn.BatchNorm1d(8)
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
    # weight, bias, running mean and variance of 8 numbers each, and a count of 8 bytes
    assert alive(ledger.log) == {"weights": 4 * 8 * 4 + 8}


def test_a_sparse_gradient_counts_its_indices_and_values() -> None:
    model = nn.Embedding(1000, 4, sparse=True)
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
        loss = model(torch.tensor([1, 2, 3])).sum()
        ledger.enter("backward", 1)
        loss.backward()
        del loss
    # three rows: 3 indices of 8 bytes and 3·4 values of 4; what was expanded from one number, the sum's gradient, is 4
    assert alive(ledger.log)["weights"] == 16000
    assert model.weight.grad is not None and model.weight.grad.is_sparse
    values, indices = model.weight.grad._values(), model.weight.grad._indices()
    held = values.untyped_storage().nbytes() + indices.untyped_storage().nbytes()
    assert alive(ledger.log)["gradients"] == held <= 3 * 8 + 3 * 4 * 4


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
def test_other_sparse_layouts_count_all_their_parts() -> None:
    # of a 4 × 4 unit matrix: 5 row pointers and 4 columns of 8 bytes, 4 values of 4
    sparse = torch.sparse_csr_tensor(torch.arange(5), torch.arange(4), torch.ones(4))
    with Ledger() as ledger:
        ledger.claim(sparse, "weights")
    assert sum(storage.bytes for storage in ledger.log.storages) == 5 * 8 + 4 * 8 + 4 * 4


@pytest.mark.filterwarnings("ignore:.*quantiz.*:UserWarning", "ignore:.*torch.ao.*:DeprecationWarning")
def test_a_quantised_tensor_counts_a_byte_a_number_and_its_scales() -> None:
    whole = torch.quantize_per_tensor(torch.zeros(10, 10), 0.1, 0, torch.qint8)
    rows = torch.quantize_per_channel(torch.zeros(10, 10), torch.ones(10), torch.zeros(10).long(), 0, torch.qint8)
    with Ledger() as ledger:
        ledger.claim(whole, "weights", "whole")
        ledger.claim(rows, "weights", "rows")
        ledger.enter("forward", 1)
    # a row's scale is of 8 bytes, and so is its zero point
    assert parts(ledger.log) == {"weights": 100 + 100 + 10 * 8 + 10 * 8}


def test_a_tensor_made_of_others_counts_what_is_inside() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    pair = TwoTensor(torch.zeros(10), torch.zeros(10))
    with Ledger() as ledger:
        ledger.claim(pair, "weights")
        ledger.enter("forward", 1)
        kept = pair * 2
    assert parts(ledger.log) == {"weights": 80, "other": 80}
    del kept


# ---- what a storage is for ----


class Block(nn.Module):
    """Two layers of 8 numbers a row with a bend between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)

    def forward(self, rows: Tensor) -> Tensor:
        found: Tensor = self.second(torch.tanh(self.first(rows)))
        return found


def activations_of_blocks(run: Callable[[nn.Module, Tensor], Tensor]) -> tuple[Log, dict[str, int]]:
    """Of three blocks over 4 rows: the log, and the bytes that wait for the backward pass as it begins."""
    blocks = nn.Sequential(*(Block() for _ in range(3)))
    with Ledger() as ledger, watched(blocks, ledger):
        ledger.enter("forward", 1)
        rows = torch.ones(4, 8, requires_grad=True)
        for block in blocks:
            rows = run(block, rows)
        loss = rows.sum()
        del rows
        waiting = alive(ledger.log)
        ledger.enter("backward", 1)
        loss.backward()
    return ledger.log, waiting


def test_what_waits_for_the_backward_pass_is_an_activation() -> None:
    # a block keeps its input, and what goes into and comes out of its tanh: the latter twice the same; 4·8·4 = 128 each
    _, waiting = activations_of_blocks(lambda block, rows: block(rows))
    assert waiting["activations"] == 3 * 2 * 128


def test_checkpointing_keeps_the_inputs_alone_and_what_runs_again_is_an_activation() -> None:
    log, waiting = activations_of_blocks(lambda block, rows: checkpoint(block, rows, use_reentrant=False))
    assert waiting["activations"] == 3 * 128
    before = {number for number, _, _ in log.entries[: log.stretches[1].start]}
    again = [storage for number, storage in enumerate(log.storages) if number not in before]
    # each block's tanh once more
    assert [storage.bytes for storage in again if storage.category == "activations"] == [128] * 3


def test_reentrant_checkpointing_is_counted_alike() -> None:
    log, waiting = activations_of_blocks(lambda block, rows: checkpoint(block, rows, use_reentrant=True))
    assert waiting["activations"] == 3 * 128
    before = {number for number, _, _ in log.entries[: log.stretches[1].start]}
    again = [storage for number, storage in enumerate(log.storages) if number not in before]
    # each block's tanh once more, and its result, which this way holds on to
    assert [storage.bytes for storage in again if storage.category == "activations"] == [128] * 6


def test_autocast_s_copies_of_weights_are_no_activations() -> None:
    model = nn.Linear(8, 8, bias=False)
    rows = torch.ones(4, 8, requires_grad=True)
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
        with torch.autocast("cpu", torch.bfloat16):
            found = model(rows)
        waiting = alive(ledger.log)
    # the weight's copy 8·8·2 = 128; kept for backward is the rows' copy 4·8·2 = 64; the result is another 64
    assert waiting == {"weights": 256, "activations": 64, "other": 128 + 64}
    del found


def test_frozen_weights_get_no_gradient_and_adapters_do() -> None:
    model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 2, bias=False))
    model[0].weight.requires_grad_(False)
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
        model(torch.ones(4, 8)).sum().backward()
    assert alive(ledger.log)["gradients"] == 2 * 8 * 4


def test_an_allocation_bears_the_name_of_the_module_at_work() -> None:
    blocks = nn.Sequential(Block(), Block())
    with Ledger() as ledger, watched(blocks, ledger):
        ledger.enter("forward", 1)
        loss = blocks(torch.ones(4, 8)).sum()
        ledger.enter("backward", 1)
        loss.backward()
    names = [module for _, change, module in ledger.log.entries if change > 0]
    backward = [module for number, change, module in ledger.log.entries[ledger.log.stretches[1].start :] if change > 0]
    assert {"0.first", "0", "0.second", "1.first", "1.second"} <= set(names)
    assert [name for name in dict.fromkeys(backward) if name] == [
        "1.second",
        "1",
        "1.first",
        "0.second",
        "0",
        "0.first",
    ]


def test_what_was_hung_on_a_model_is_taken_off() -> None:
    model = Block()
    before = {name: {key: repr(value) for key, value in vars(module).items()} for name, module in model.named_modules()}
    with Ledger() as ledger, watched(model, ledger):
        ledger.enter("forward", 1)
        model(torch.ones(4, 8)).sum().backward()
    model.zero_grad()
    after = {name: {key: repr(value) for key, value in vars(module).items()} for name, module in model.named_modules()}
    assert after == before
    assert not any(parameter._post_accumulate_grad_hooks for parameter in model.parameters())


def test_a_closed_ledger_hears_nothing_more() -> None:
    with Ledger() as ledger:
        ledger.enter("forward", 1)
        block = torch.empty(10)
    entries = len(ledger.log.entries)
    del block
    gc.collect()
    torch.empty(10)
    assert len(ledger.log.entries) == entries


def test_a_log_without_a_phase_has_no_peak() -> None:
    with pytest.raises(ValueError, match="phase"):
        read(Log())
