"""Eight rows of uneven length for a head, padded to one width, with uneven numbers of targets."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor

from engine.accumulation import IGNORED
from engine.proof.causes import parts_of
from engine.proof.heads.mapping import Head
from engine.proof.heads.overrides import CODEBOOK_LABELS, WITH_PICTURE, WITHOUT_MASK
from engine.proof.heads.sizes import FIRST_WORD, SPECIAL_IDS, VOCABULARY

Batch = dict[str, Tensor]

WIDTH = 16
LENGTHS = (16, 9, 12, 7, 14, 5, 11, 8)
PROMPTS = (0, 3, 0, 2, 5, 0, 4, 1)
"""How many tokens at a row's beginning are no targets, where a row teaches its own tokens."""

CLASSES = 3
MICRO_BATCH = 2
SEED = 20260

PADDING, END, MASK = SPECIAL_IDS["pad"], SPECIAL_IDS["eos"], SPECIAL_IDS["mask"]


def large_batch(head: Head, model: Any) -> Batch:
    """All rows of `head`'s task in one batch, as the `model` takes them."""
    draw = torch.Generator().manual_seed(SEED)
    words = _Words(draw, _vocabulary(model))
    ids, mask = words.rows(LENGTHS)
    batch = {"input_ids": ids, "attention_mask": mask}
    if head.task == "text-classification":
        batch["labels"] = _row_labels(head, draw)
    elif head.task == "token-classification":
        batch["labels"] = torch.randint(0, CLASSES, ids.shape, generator=draw)
        batch["labels"][(mask == 0) | (ids == END)] = IGNORED
        batch["labels"][:, 0] = IGNORED
    elif head.task == "fill-mask":
        chosen = (torch.rand(ids.shape, generator=draw) < 0.3) & (ids >= words.first)
        chosen[:, 1] = True
        batch["labels"] = ids.masked_fill(~chosen, IGNORED)
        batch["input_ids"] = ids.masked_fill(chosen, MASK)
    elif head.task == "text2text-generation" and model.config.is_encoder_decoder:
        target, kept = words.rows(LENGTHS[::-1])
        batch["labels"] = target.masked_fill(kept == 0, IGNORED)
    else:
        places = torch.arange(WIDTH).expand(ids.shape)
        prompt = places < torch.tensor(PROMPTS)[:, None]
        batch["labels"] = ids.masked_fill((mask == 0) | prompt, IGNORED)
    return _as_taken(batch, model, draw)


def micro_batches(batch: Batch) -> list[Batch]:
    """The rows of a large batch, `MICRO_BATCH` at a time."""
    return [
        {name: value[start : start + MICRO_BATCH] for name, value in batch.items()}
        for start in range(0, len(LENGTHS), MICRO_BATCH)
    ]


class _Words:
    """Draws rows of words, each with one end-of-text token, the last."""

    def __init__(self, draw: torch.Generator, vocabulary: int) -> None:
        self.draw = draw
        self.vocabulary = vocabulary
        self.first = min(FIRST_WORD, vocabulary // 2)

    def rows(self, lengths: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """Ids and attention mask, both of shape (rows, WIDTH)."""
        ids = torch.randint(self.first, self.vocabulary, (len(lengths), WIDTH), generator=self.draw)
        length = torch.tensor(lengths)[:, None]
        places = torch.arange(WIDTH).expand(ids.shape)
        ids[places == length - 1] = END
        mask = (places < length).long()
        return ids.masked_fill(mask == 0, PADDING), mask


def _vocabulary(model: Any) -> int:
    found = (getattr(part, "vocab_size", None) for part in parts_of(model.config))
    sizes = [size for size in found if isinstance(size, int)]
    return min([VOCABULARY, *(size for size in sizes if size > max(SPECIAL_IDS.values()))])


def _row_labels(head: Head, draw: torch.Generator) -> Tensor:
    if head.problem_type == "regression":
        return torch.randn(len(LENGTHS), generator=draw, dtype=torch.float64)
    if head.problem_type == "multi_label_classification":
        return torch.randint(0, 2, (len(LENGTHS), CLASSES), generator=draw).double()
    return torch.randint(0, CLASSES, (len(LENGTHS),), generator=draw)


def _as_taken(batch: Batch, model: Any, draw: torch.Generator) -> Batch:
    """The batch under the names that the model's `forward` has, with what it wants besides."""
    takes = inspect.signature(model.forward).parameters
    if "input_ids" not in takes:
        batch[model.main_input_name] = batch.pop("input_ids")
    if "attention_mask" not in takes or model.config.model_type in WITHOUT_MASK:
        del batch["attention_mask"]
    if model.config.model_type in CODEBOOK_LABELS:
        batch["labels"] = batch["labels"][..., None]
    if model.config.model_type in WITH_PICTURE:
        side = model.config.vision_config.image_size
        batch["pixel_values"] = torch.randn(len(LENGTHS), 3, side, side, generator=draw, dtype=torch.float64)
    if "bbox" in takes:
        corners = torch.randint(0, 30, (len(LENGTHS), WIDTH, 4), generator=draw)
        corners[..., 2:] += 30
        batch["bbox"] = corners
    return batch
