"""The arithmetic of a batch plan: what an update, a window and an epoch hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.config import RunConfig


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How `rows` examples are dealt into micro-batches, windows and updates.

    Counts as `transformers.Trainer` does: an epoch's last window may hold fewer micro-batches, and
    its last micro-batch fewer rows; `drop_last` drops that short micro-batch, not the short window.
    `window`: examples of a full window where they are fewer than the product, its last micro-batch being shorter.
    `micro_batch_tokens`: the bound by which a window is dealt, where it is not by rows.
    """

    micro_batch: int
    accumulation_steps: int
    processes: int
    rows: int
    updates_total: int
    drop_last: bool = False
    window: int | None = None
    micro_batch_tokens: int | None = None

    @classmethod
    def of(cls, config: RunConfig, rows: int) -> Plan:
        """The plan of `config` over `rows` training rows; `max_steps`, where set, decides over epochs."""
        training = config.training
        plan = cls(
            micro_batch=config.micro_batch,
            accumulation_steps=config.accumulation_steps,
            processes=config.processes,
            rows=rows,
            updates_total=0,
            drop_last=bool(training.get("dataloader_drop_last", False)),
            micro_batch_tokens=config.micro_batch_tokens,
        )
        max_steps = int(training.get("max_steps", -1))
        epochs = float(training.get("num_train_epochs", 3.0))
        total = max_steps if max_steps > 0 else math.ceil(epochs * plan.updates_per_epoch)
        return cls(**{**plan._fields(), "updates_total": total})

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Plan:
        """As `to_dict` tells it."""
        return cls(**{name: told[name] for name in cls.__dataclass_fields__ if name in told})

    @property
    def effective_batch(self) -> int:
        """Examples that a full window adds up: micro-batch × accumulation steps × processes."""
        return self.window or self.micro_batch * self.accumulation_steps * self.processes

    @property
    def micro_batches_per_epoch(self) -> int:
        """Micro-batches that each process works through in one pass over the rows."""
        share = self.micro_batch * self.processes
        if self.drop_last:
            return self.rows // share
        windows, rest = divmod(self.rows, self.effective_batch)
        return windows * self.accumulation_steps + math.ceil(rest / share)

    @property
    def updates_per_epoch(self) -> int:
        return math.ceil(self.micro_batches_per_epoch / self.accumulation_steps)

    @property
    def last_window_examples(self) -> int:
        """Examples in an epoch's last window; the effective batch where the rows divide evenly."""
        if not self.updates_per_epoch:
            return 0
        return self._used - (self.updates_per_epoch - 1) * self.effective_batch

    @property
    def _used(self) -> int:
        return self.micro_batches_per_epoch * self.micro_batch * self.processes if self.drop_last else self.rows

    @property
    def divides(self) -> bool:
        """Whether every window of an epoch is a full one."""
        return self.last_window_examples == self.effective_batch

    @property
    def epochs(self) -> float:
        """Passes over the rows that `updates_total` updates make."""
        return self.updates_total / self.updates_per_epoch if self.updates_per_epoch else 0.0

    def dealt_in(self, micro_batch: int, tokens: int | None = None) -> Plan:
        """The same windows, and the same rows in each, in smaller micro-batches."""
        if tokens is not None:
            return replace(self, micro_batch_tokens=tokens)
        share = micro_batch * self.processes
        steps = math.ceil(self.effective_batch / share)
        return replace(
            self,
            micro_batch=micro_batch,
            accumulation_steps=steps,
            window=self.effective_batch if steps * share > self.effective_batch else None,
            # the rows that were left out stay so, whatever the new micro-batch
            rows=self._used,
            drop_last=False,
        )

    def to_dict(self) -> dict[str, Any]:
        """Fields and derived counts, ready for JSON."""
        return {
            **self._fields(),
            "effective_batch": self.effective_batch,
            "micro_batches_per_epoch": self.micro_batches_per_epoch,
            "updates_per_epoch": self.updates_per_epoch,
            "last_window_examples": self.last_window_examples,
            "divides": self.divides,
            "epochs": self.epochs,
        }

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def updates_left(*, epoch: int, met: int, this_pass: int, each_pass: int, window: int, epochs: float) -> int:
    """Updates still to come where a run goes on in pass `epoch` (from 0) after `met` rows, in windows of `window` rows.

    `this_pass`: rows of that pass in all, `each_pass`: of any other. `epochs` as in `num_train_epochs`: a share of a
    pass at the end counts as many windows as the Trainer gives it, one begun is one done.
    """
    of_pass = math.ceil(each_pass / window)
    full = int(epochs)
    last = math.ceil(epochs * of_pass) - full * of_pass
    rows = this_pass if epoch < full else min(this_pass, last * window) if epoch == full else 0
    here = max(0, math.ceil((rows - met) / window))
    return here + max(0, full - epoch - 1) * of_pass + (last if epoch < full else 0)
