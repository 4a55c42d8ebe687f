"""What a window's rows count: positions, labels and targets by the rule of the run, and the stock Trainer's count."""

from __future__ import annotations

from typing import Any

from engine.accumulation import IGNORED
from engine.models import architecture
from engine.proof.bench import first_windows
from engine.trainer import COUNT, Prepared, WindowCollator


def counted(prepared: Prepared) -> dict[str, Any]:
    """Of the first window of a config, ready for JSON; no gradient is computed.

    `positions` are rows × width and `padded` those of them that carry nothing; `labels` those that are not -100,
    `targets` those that the loss compares with something; `stock` is what the stock Trainer would divide by, None where
    it counts nothing. `rows`, as `MicroBatchSeen` has them: the first few as text, with its targets marked.
    """
    trainer, config = prepared.trainer, prepared.config
    deal = WindowCollator(
        trainer.data_collator,
        micro_batch=config.micro_batch,
        order=trainer.window_order,
        tokens=trainer.micro_batch_tokens,
    )
    [window] = first_windows(trainer, 1)
    batches = deal(window)
    counts = [batch.pop(COUNT) for batch in batches]
    stock = trainer._get_num_items_in_batch(batches, trainer.args.device)
    assert trainer.read_back is not None
    return {
        "model_class": architecture(trainer.model),
        "shifts": prepared.shifts,
        "examples": sum(count.examples for count in counts),
        "positions": sum(count.positions for count in counts),
        "padded": sum(count.padded for count in counts),
        "labels": sum(int((batch["labels"] != IGNORED).sum()) for batch in batches),
        "targets": sum(count.targets for count in counts),
        "stock": None if stock is None else int(stock),
        "rows": [row for batch in batches for row in trainer.read_back(batch, shifts=prepared.shifts)[0]],
    }
