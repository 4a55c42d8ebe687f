"""Targets a second of a window's ways to be dealt, against the stock Trainer with the same rows an update.

    python -m tests.benchmarks.dealing [--rounds 5] [--updates 6]

Every way trains the same rows, 32 an update, in the same order of windows, in turns; the table shows the median over
rounds of the ratios within a round, timed from the first update on. Before that each way's gradient of every update is
compared with the stock Trainer's at the same weights: a causal Llama is a head that it gets right.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback, Trainer, TrainerCallback, set_seed

from engine import datasets
from engine.config import DataConfig
from engine.models.rows_attention import attend_by_rows
from engine.models.tiny import llama_tokenizer
from engine.tasks import TASKS, packed
from engine.tasks.base import Padding
from engine.trainer import AccumulatingTrainer, CountingCollator, Progress
from tests.benchmarks.throughput import MICRO_BATCH, STEPS, Clock, arguments, tiny_llama

Rows = list[dict[str, Any]]
pad = Padding(0)

WAYS: dict[str, dict[str, Any]] = {
    "as they come": {"window_order": "random"},
    "sorted": {"window_order": "sorted"},
    "token budget": {"window_order": "sorted", "micro_batch_tokens": 1024},
    "packed": {"micro_batch_tokens": 1024},
}


def log_normal(updates: int) -> Rows:
    """Rows whose lengths are log-normal, 8 to 512 tokens: most short, a few very long."""
    generator = random.Random(0)
    rows = []
    for _ in range(updates * MICRO_BATCH * STEPS):
        length = min(512, max(8, round(generator.lognormvariate(4.0, 0.9))))
        tokens = [generator.randrange(5, 2048) for _ in range(length)]
        rows.append({"input_ids": tokens, "attention_mask": [1] * length, "labels": list(tokens)})
    return rows


def even(updates: int) -> Rows:
    """Rows of 64 tokens each, where no dealing can save anything."""
    generator = random.Random(0)
    drawn = [[generator.randrange(5, 2048) for _ in range(64)] for _ in range(updates * MICRO_BATCH * STEPS)]
    return [{"input_ids": tokens, "attention_mask": [1] * 64, "labels": list(tokens)} for tokens in drawn]


def text(name: str, updates: int) -> Rows:
    rows = datasets.load(DataConfig(name=name), "text-generation", seed=0, cache=Path()).train
    tokenizer = llama_tokenizer([row["text"] for row in rows])
    return list(TASKS["text-generation"].encode(rows[: updates * MICRO_BATCH * STEPS], tokenizer, 512))


class Gradients(TrainerCallback):  # type: ignore[misc]
    """The gradient of each update, as one vector."""

    def __init__(self) -> None:
        self.found: list[torch.Tensor] = []

    def on_pre_optimizer_step(self, *_: Any, model: Any, **__: Any) -> None:
        self.found.append(torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))


def stock(rows: Rows, folder: Path, callback: Any, **more: Any) -> Trainer:
    trainer = Trainer(
        model=tiny_llama(), args=arguments(folder, logging_steps=1, **more), train_dataset=rows, data_collator=pad,
        callbacks=[callback],
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    return trainer


def ours(rows: Rows, folder: Path, callback: Any, way: str, **more: Any) -> Trainer:
    laid, model = packed if way == "packed" else pad, tiny_llama()
    if way == "packed":
        attend_by_rows(model)
    return AccumulatingTrainer(
        run=0, emit=lambda event: None, progress=Progress(), model=model,
        args=arguments(folder, logging_strategy="no", **more), train_dataset=rows, callbacks=[callback],
        data_collator=CountingCollator(laid, shifts=True, packed=way == "packed"), **WAYS[way],
    )  # fmt: skip


def once(make: Callable[..., Trainer], rows: Rows, callback: Any, *way: str, **more: Any) -> Any:
    set_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        make(rows, Path(folder), callback, *way, **more).train()
    return callback


def error(rows: Rows, way: str) -> float:
    """The largest relative difference of an update's gradient from the stock Trainer's at the same weights."""
    still = {"learning_rate": 0.0, "max_grad_norm": 0.0}
    right, found = once(stock, rows, Gradients(), **still).found, once(ours, rows, Gradients(), way, **still).found
    return max(float((mine - other).norm() / other.norm()) for mine, other in zip(found, right, strict=True))


def padding(rows: Rows) -> float:
    """The share of padding with the rows as they come, in micro-batches of 8."""
    lengths = [len(row["input_ids"]) for row in rows]
    parts = [lengths[start : start + MICRO_BATCH] for start in range(0, len(lengths), MICRO_BATCH)]
    return 1 - sum(lengths) / sum(len(part) * max(part) for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=6)
    options = parser.parse_args()
    work = {
        "log-normal": log_normal(options.updates),
        "python-docs": text("python-docs", options.updates),
        "stdlib-docstrings": text("stdlib-docstrings", options.updates),
        "even rows": even(options.updates),
    }
    threads = torch.get_num_threads()
    print(
        f"{threads} threads, {MICRO_BATCH} × {STEPS}, {options.rounds} rounds of {options.updates} updates",
    )
    print(f"{'rows':<20}{'padding':>9}  {'way':<14}{'targets/s':>10}{'vs stock':>10}{'gradient off by':>17}")
    for name, rows in work.items():
        seconds: dict[str, list[float]] = {way: [] for way in ("stock", *WAYS)}
        for turn in range(options.rounds + 1):
            order = [*list(seconds)[turn % len(seconds) :], *list(seconds)[: turn % len(seconds)]]
            for way in order:
                clock = once(stock, rows, Clock()) if way == "stock" else once(ours, rows, Clock(), way)
                if turn:  # the first round warms up
                    seconds[way].append(clock.seconds)
        # the first window is not timed
        targets = sum(len(row["input_ids"]) - 1 for row in rows[MICRO_BATCH * STEPS :])
        for number, way in enumerate(WAYS):
            ratio = statistics.median(other / mine for other, mine in zip(seconds["stock"], seconds[way], strict=True))
            rate = targets / statistics.median(seconds[way])
            told = f"{name:<20}{padding(rows):>8.0%} " if not number else " " * 29
            print(f"{told}  {way:<14}{rate:>10,.0f}{ratio:>9.2f}×{error(rows, way):>17.1e}", flush=True)


if __name__ == "__main__":
    main()
