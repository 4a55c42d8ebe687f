"""What a window takes of each process where FSDP 2 lays the weights out in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import nn

from engine.config import RunConfig
from engine.memory.account import CATEGORIES, Account, Category, Trace
from engine.trainer.sharding import blocks

ASSEMBLED = 2
"""Blocks that lie whole on a process at a time: the one at work, and the one that is fetched or let go."""


def of_each_process(account: Account, config: RunConfig, model: Any) -> Account:
    """`account` of a window as one process would take it, for each of those of `config`.

    Weights, optimizer and update are shared out evenly. Of the weights one block at a time is assembled besides, and
    what is in no block stays so for the whole pass. Gradients stay whole until the last micro-batch, since nothing is
    sent before; after it each process keeps its part.
    """
    file = config.accelerate_file()
    if file is None or not file.sharded or file.processes == 1:
        return account
    processes, assembled = file.processes, _assembled(model)
    lists: dict[Category, list[int]] = {name: list(values) for name, values in account.trace.bytes.items()}
    for span in account.trace.spans:
        for place in range(span.start, span.end):
            for name in CATEGORIES:
                if name in ("weights", "optimizer") or span.phase == "update":
                    lists[name][place] = -(-lists[name][place] // processes)
            if span.phase != "update":
                lists["weights"][place] += assembled
    totals = [sum(values) for values in zip(*lists.values(), strict=True)]
    top = max(range(len(totals)), key=totals.__getitem__)
    span = next((span for span in account.trace.spans if span.start <= top < span.end), account.trace.spans[0])
    return replace(
        account,
        peak_bytes=totals[top],
        parts={name: values[top] for name, values in lists.items()},
        moment=replace(account.moment, phase=span.phase, micro_batch=span.micro_batch, module=None),
        largest=(),
        trace=Trace(lists, account.trace.spans),
    )


def _assembled(model: nn.Module) -> int:
    """Bytes of the weights that lie whole beside the parts."""
    names = set(blocks(model))
    units = [module for module in model.modules() if type(module).__name__ in names]
    inside = {id(each) for unit in units for each in unit.parameters()}
    around = [each for each in model.parameters() if id(each) not in inside]
    largest = max((_bytes(list(unit.parameters())) for unit in units), default=0)
    return ASSEMBLED * largest + _bytes(around)


def _bytes(parameters: list[nn.Parameter]) -> int:
    return sum(each.numel() * each.element_size() for each in parameters)
