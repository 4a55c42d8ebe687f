"""The micro-batches of a window all of whose rows are as long as a row may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from engine.accumulation import IGNORED, count_items, count_targets
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.trainer.collate import MicroBatchCount

Batch = dict[str, Any]

MOST_TOKENS = 2**24
"""Of a micro-batch: far more than any device trains at once, and still made in a moment."""

MASKED = 7
"""Every so manieth token of a row is a target of fill-mask: about the share that the task takes."""


def most_rows(config: RunConfig) -> int:
    """Of a micro-batch of `config`: what is asked for above that is not reckoned."""
    return max(1, MOST_TOKENS // config.data.max_length)


@dataclass(frozen=True)
class Layout:
    """`steps` micro-batches of `rows` rows of `length` tokens, source and target alike; `packed`: laid end to end."""

    rows: int
    steps: int
    length: int
    packed: bool = False

    @classmethod
    def of(cls, config: RunConfig, micro_batch: int, steps: int) -> Layout:
        """Of a window of `config`. Dealt by tokens, a micro-batch is as many positions, and there are as many of them
        as the rows take."""
        length, tokens = config.data.max_length, config.micro_batch_tokens
        if tokens is None:
            if micro_batch * length > MOST_TOKENS:
                raise ConfigError(
                    "memory.too-many-tokens",
                    field="training.per_device_train_batch_size", rows=micro_batch, length=length, most=MOST_TOKENS,
                )  # fmt: skip
            return cls(micro_batch, steps, length, config.packing)
        parts = 2 if config.task == "text2text-generation" else 1
        window = micro_batch * steps
        rows = min(window, -(-tokens // (parts * length)))
        return cls(rows, -(-window // rows), min(length, tokens // (parts * rows)), config.packing)


class Rows:
    """Makes micro-batches for a model's configuration and a task: their values mean nothing, and no model stumbles."""

    def __init__(self, config: Any, task: str) -> None:
        self.task = task
        self.problem_type = getattr(config, "problem_type", None)
        self.classes = int(getattr(config, "num_labels", 2))
        text = config.get_text_config()
        special = {value for _, value in _ids(config, text)}
        vocabulary = int(getattr(text, "vocab_size", 0) or 64)
        self.words = torch.tensor([word for word in range(vocabulary) if word not in special] or [0])
        self.end: int | None = next((value for name, value in _ids(text, config) if name == "eos_token_id"), None)

    def batch(self, layout: Layout) -> tuple[Batch, MicroBatchCount]:
        """A micro-batch on the CPU, and what it holds."""
        rows, length = layout.rows, layout.length
        ids = self._texts(rows, length)
        batch: Batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if self.task == "text-classification":
            batch["labels"] = self._row_labels(rows)
        elif self.task == "token-classification":
            batch["labels"] = torch.arange(rows * length).view(rows, length) % self.classes
        elif self.task == "fill-mask":
            batch["labels"] = ids.masked_fill(torch.arange(length) % MASKED != 1, IGNORED)
        else:
            batch["labels"] = ids.clone()
        if layout.packed:
            batch = _packed(batch)
        targets = count_targets(batch, shifts=False)
        return batch, MicroBatchCount(rows, targets, rows * length, 0, count_items(batch, shifts=False))

    def _texts(self, rows: int, length: int) -> Tensor:
        # a stride that no vocabulary's size shares a factor with spreads the words evenly
        ids = self.words[(torch.arange(rows * length) * 7919) % len(self.words)].view(rows, length)
        if self.end is not None:
            ids[:, -1] = self.end
        return ids

    def _row_labels(self, rows: int) -> Tensor:
        if self.problem_type == "regression" or self.classes == 1:
            return torch.zeros(rows)
        if self.problem_type == "multi_label_classification":
            return torch.zeros(rows, self.classes)
        return torch.arange(rows) % self.classes


DECODED = {"text2text-generation": "labels", "fill-mask": "input_ids"}
"""Of which part of a batch an encoder-decoder's decoder inputs are made, by task."""


def with_decoder_inputs(batch: Batch, model: Any, task: str) -> Batch:
    """As the task's collator adds them: what the decoder of `model` reads, where it can say so."""
    make = getattr(model, "prepare_decoder_input_ids_from_labels", None)
    if make is None or task not in DECODED or not model.config.is_encoder_decoder:
        return batch
    return {**batch, "decoder_input_ids": make(labels=batch[DECODED[task]])}


def _packed(batch: Batch) -> Batch:
    rows, length = batch["input_ids"].shape
    return {
        "input_ids": batch["input_ids"].view(1, -1),
        "position_ids": torch.arange(length).repeat(rows).view(1, -1),
        "labels": batch["labels"].index_fill(1, torch.tensor(0), IGNORED).view(1, -1),
        "use_cache": False,
    }


def _ids(*configs: Any) -> list[tuple[str, int]]:
    """The special token ids of configurations, by name."""
    found: list[tuple[str, int]] = []
    for config in configs:
        for name, value in config.to_dict().items():
            if name.endswith("_token_id"):
                values = value if isinstance(value, list) else [value]
                found += [(name, each) for each in values if isinstance(each, int)]
    return found
