"""Targets a second of Birikim against the stock Trainer and a hand-written loop, on the same work.

    python tests/benchmarks/throughput.py [--rounds 7] [--updates 12]

Each round trains the same rows in the same order with all three, in an order that turns with the
rounds; the table shows the median over rounds of the ratios within a round. The clock starts when the
first update is done, so that setting up and warming up do not count. Birikim runs as it does
behind a page: with its store, its memory sampler, its pause gate and an event a micro-batch.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    get_linear_schedule_with_warmup,
    set_seed,
)

from engine.events import MemorySample
from engine.memory.sampler import MemorySampler
from engine.session.control import Control
from engine.store import Store
from engine.trainer import AccumulatingTrainer, CountingCollator, Progress

transformers.logging.set_verbosity_error()
MICRO_BATCH, STEPS, RATE = 8, 4, 1e-4


def minilm(labels: int = 8) -> Any:
    config = AutoConfig.for_model(
        "bert", hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, num_labels=labels
    )
    return AutoModelForSequenceClassification.from_config(config)


def tiny_llama() -> Any:
    config = AutoConfig.for_model(
        "llama", vocab_size=2048, hidden_size=128, intermediate_size=384, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=4,
    )  # fmt: skip
    return AutoModelForCausalLM.from_config(config)


def rows_of(vocabulary: int, length: int, updates: int, *, classes: int | None) -> list[dict[str, Any]]:
    generator = torch.Generator().manual_seed(0)
    rows = []
    for index in range(updates * MICRO_BATCH * STEPS):
        tokens = torch.randint(5, vocabulary, (length,), generator=generator)
        rows.append({"input_ids": tokens, "labels": tokens.clone() if classes is None else index % classes})
    return rows


def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    tokens = torch.stack([row["input_ids"] for row in rows])
    labels = [row["labels"] for row in rows]
    stacked = torch.tensor(labels) if isinstance(labels[0], int) else torch.stack(labels)
    return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": stacked}


class Clock(TrainerCallback):  # type: ignore[misc]
    """Seconds from the end of the first update to the end of the last."""

    def __init__(self) -> None:
        self.moments: list[float] = []

    def tick(self) -> None:
        self.moments.append(time.perf_counter())

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.tick()

    @property
    def seconds(self) -> float:
        return self.moments[-1] - self.moments[0]


def arguments(folder: Path, **more: Any) -> TrainingArguments:
    defaults = {
        "per_device_train_batch_size": MICRO_BATCH, "gradient_accumulation_steps": STEPS, "num_train_epochs": 1,
        "learning_rate": RATE, "report_to": "none", "disable_tqdm": True, "save_strategy": "no",
        "remove_unused_columns": False, "train_sampling_strategy": "sequential", "use_cpu": True,
        "dataloader_pin_memory": False,
    }  # fmt: skip
    return TrainingArguments(output_dir=str(folder), **{**defaults, **more})


def by_hand(model: Any, rows: list[dict[str, Any]], folder: Path) -> float:
    loader = torch.utils.data.DataLoader(rows, batch_size=MICRO_BATCH, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0, fused=True)
    schedule = get_linear_schedule_with_warmup(optimizer, 0, len(rows) // (MICRO_BATCH * STEPS))
    model.train()
    clock = Clock()
    for index, batch in enumerate(loader, start=1):
        loss = model(**batch).loss / STEPS
        loss.backward()
        loss.item()
        if index % STEPS == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            clock.tick()
    return clock.seconds


def stock(model: Any, rows: list[dict[str, Any]], folder: Path) -> float:
    clock = Clock()
    trainer = Trainer(
        model=model,
        args=arguments(folder, logging_steps=1),
        train_dataset=rows,
        data_collator=collate,
        callbacks=[clock],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return clock.seconds


def birikim(model: Any, rows: list[dict[str, Any]], folder: Path) -> float:
    store = Store(folder)
    run = store.create_run({})
    control, progress, clock = Control(), Progress(), Clock()

    def emit(event: Any) -> None:
        store.write(event)
        if type(event).__name__ == "UpdateDone":
            store.flush()

    trainer = AccumulatingTrainer(
        run=run,
        emit=emit,
        progress=progress,
        gate=lambda window: control.gate(window, held=lambda: None, released=lambda: None),
        check=control.check,
        model=model,
        args=arguments(folder, logging_strategy="no"),
        train_dataset=rows,
        callbacks=[clock],
        data_collator=CountingCollator(collate, shifts=isinstance(rows[0]["labels"], torch.Tensor)),
    )  # fmt: skip
    with MemorySampler(
        torch.device("cpu"),
        lambda reading: store.write(
            MemorySample(
                run=run, seconds=progress.clock.seconds, update=progress.position, total_examples=progress.examples,
                total_targets=progress.targets, resident=reading.resident,
            )
        ),
    ) as sampler:  # fmt: skip
        trainer.memory_peak = sampler.peak
        trainer.train()
    store.close()
    return clock.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--updates", type=int, default=20)
    options = parser.parse_args()
    work: dict[str, tuple[Callable[[], Any], list[dict[str, Any]]]] = {
        "BERT of MiniLM's size, 64 tokens": (minilm, rows_of(30522, 64, max(3, options.updates // 2), classes=8)),
        "Llama of 1.3 M, 64 tokens": (tiny_llama, rows_of(2048, 64, options.updates, classes=None)),
        "Llama of 1.3 M, 16 tokens": (tiny_llama, rows_of(2048, 16, options.updates * 2, classes=None)),
    }
    loops = {"by hand": by_hand, "stock Trainer": stock, "Birikim": birikim}
    print(f"{torch.get_num_threads()} threads, {MICRO_BATCH} × {STEPS}, {options.rounds} rounds")
    print(f"{'work':<36}{'updates/s':>10}{'vs by hand':>12}{'vs stock':>10}")
    for name, (build, rows) in work.items():
        seconds: dict[str, list[float]] = {loop: [] for loop in loops}
        for turn in range(options.rounds + 1):
            order = list(loops)[turn % 3 :] + list(loops)[: turn % 3]
            for loop in order:
                set_seed(0)
                with tempfile.TemporaryDirectory() as folder:
                    took = loops[loop](build(), rows, Path(folder))
                # the first round warms up
                if turn:
                    seconds[loop].append(took)
        ours = seconds["Birikim"]
        ratios = [
            statistics.median(other / mine for other, mine in zip(seconds[loop], ours, strict=True))
            for loop in ("by hand", "stock Trainer")
        ]
        rate = (len(rows) / (MICRO_BATCH * STEPS) - 1) / statistics.median(ours)
        print(f"{name:<36}{rate:>10.2f}{ratios[0]:>12.3f}{ratios[1]:>10.3f}", flush=True)


if __name__ == "__main__":
    main()
