"""One real window under the ledger: what it takes on the device, with nothing left of it afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from accelerate.utils import send_to_device

from engine.memory.account import Account
from engine.memory.budget import imposed, limit_of_one_window
from engine.memory.rows import Layout, Rows, with_decoder_inputs
from engine.memory.shares import held_by
from engine.memory.snapshot import as_before
from engine.memory.storages import tensors_in
from engine.memory.window import account_of, ready, run
from engine.trainer import Prepared

RUN = 64
"""Micro-batches of a window that are run at most; the others only lie there, and each would be like the last one."""


def measure(prepared: Prepared, micro_batch: int, steps: int, *, check: Callable[[], None] = lambda: None) -> Account:
    """Of a window of `steps` micro-batches of `micro_batch` rows, in the state that training has after an update.

    Weights, buffers, gradients, optimizer, schedule and random state are afterwards as before, bit by bit, also where
    the window fails: the device's own error passes through. `check` is called before each micro-batch and may raise
    to give up.

    Raises:
        torch.OutOfMemoryError: the window does not fit into the device, or the config's budget; on a CPU into what is
            free, before the system ends a process for it.
    """
    began = time.perf_counter()
    trainer = prepared.trainer
    model, device = trainer.model, trainer.args.device
    layout = Layout.of(prepared.config, micro_batch, steps)
    rows = Rows(model.config, prepared.config.task)
    with as_before(trainer), ready(trainer) as wrapped:
        batches: list[Any] = []
        for _ in range(min(layout.steps, RUN)):
            batch, count = rows.batch(layout)
            batches.append((send_to_device(with_decoder_inputs(batch, model, rows.task), device), count))
        there = (*held_by(model), *tensors_in(trainer.optimizer.state))
        with imposed(limit_of_one_window(prepared.config, device), device, there):
            log = run(trainer, wrapped, batches, layout, device.type, check)
    seconds = time.perf_counter() - began
    return account_of(log, model, layout, device=device.type, measured=True, seconds=seconds)
