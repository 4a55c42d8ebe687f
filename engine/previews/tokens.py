"""What a tokenizer makes of rows: their lengths, the padding of windows, and rows read back with their targets."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED, WindowOrder, deal, positions
from engine.config import RunConfig
from engine.datasets import Rows
from engine.tasks import Encoded, Task

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SAMPLE = 2000
MOST_CHARACTERS = 2**23
"""Rows that are tokenised, and characters of them: some two seconds."""

BINS = 40
WINDOWS = 64
EXAMPLES = 3
MOST_TOKENS = 400
"""Of a row that is read back."""

NO_LIMIT = 2**30


def sample_of(rows: Rows, seed: int) -> list[Any]:
    """Rows to train on, drawn by the seed."""
    places = random.Random(seed).sample(range(len(rows.train)), min(SAMPLE, len(rows.train)))
    taken: list[Any] = []
    characters = 0
    for place in places:
        row = rows.train[place]
        characters += len(str(row))
        if taken and characters > MOST_CHARACTERS:
            break
        taken.append(row)
    return taken


def lengths(sample: Sequence[Any], task: Task, tokenizer: PreTrainedTokenizerBase, max_length: int) -> dict[str, Any]:
    """A histogram of the rows' tokens as they would be uncut; of a source and its target, the longer one."""
    import numpy

    whole = task.encode(sample, tokenizer, NO_LIMIT)
    found = numpy.array([max(task.widths(row)) for row in whole] or [0])
    top = max(int(found.max()), max_length) + 1
    width = -(-top // BINS)
    counts, edges = numpy.histogram(found, bins=numpy.arange(0, top + width, width))
    over = int((found > max_length).sum())
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "max_length": max_length,
        "over": over,
        "rows": len(whole),
        "median": int(numpy.median(found)),
        "longest": int(found.max()),
    }


def padding(encoded: Encoded, task: Task, config: RunConfig) -> dict[str, Any]:
    """The share of positions that only pad, of windows of the plan as they are dealt, and dealt in the other order."""
    widths = [task.widths(row) for row in encoded]
    size = config.micro_batch * config.accumulation_steps
    windows = [widths[start : start + size] for start in range(0, len(widths), size)][:WINDOWS]
    # what a run takes unless it is told or finds that padding changes what the model computes
    order: WindowOrder = config.window_order or ("random" if config.packing else "sorted")

    def share(way: WindowOrder) -> float:
        taken = filled = 0
        for window in windows:
            for rows in deal(
                window,
                micro_batch=config.micro_batch, order=way, tokens=config.micro_batch_tokens, packed=config.packing,
            ):  # fmt: skip
                batch = [window[row] for row in rows]
                taken += positions(batch, packed=config.packing)
                filled += sum(map(sum, batch))
        return (taken - filled) / taken if taken else 0.0

    return {
        "order": order,
        "settled": config.window_order is not None or config.packing,
        "share": share(order),
        "other": share("random" if order == "sorted" else "sorted"),
        "windows": len(windows),
        "packing": config.packing,
        "tokens": config.micro_batch_tokens,
    }


def examples(
    encoded: Encoded, task: Task, tokenizer: PreTrainedTokenizerBase, labels: Sequence[str], seed: int
) -> list[dict[str, Any]]:
    """Rows as the model reads them, token by token, and of each token whether it is a target."""
    collate = task.collator(tokenizer, seed=seed)
    return [_example(row, place, task, tokenizer, labels, collate) for place, row in enumerate(encoded[:EXAMPLES])]


def _example(
    row: Mapping[str, Any],
    place: int,
    task: Task,
    tokenizer: PreTrainedTokenizerBase,
    labels: Sequence[str],
    collate: Any,
) -> dict[str, Any]:
    ids, found = list(row["input_ids"]), row.get("labels", ())
    parts: list[dict[str, Any]] = []
    said: str | None = None
    if task.name == "fill-mask":
        masked = collate.collate.masked({**row, "epoch": 0, "row": place})
        ids, found = masked["input_ids"], masked["labels"]
    if task.name == "text2text-generation":
        parts = [_part(ids, [False] * len(ids), tokenizer), _part(found, [True] * len(found), tokenizer)]
    elif task.name == "text-classification":
        parts, said = [_part(ids, [False] * len(ids), tokenizer)], _label(found, labels)
    else:
        # nothing comes before the first token that it could be told from
        targets = [label != IGNORED and (at > 0 or not task.predicts_next) for at, label in enumerate(found)]
        tags = (
            [labels[one] if one != IGNORED else None for one in found] if task.name == "token-classification" else None
        )
        parts = [_part(ids, targets, tokenizer, tags)]
    return {"parts": parts, "label": said, "tokens": len(ids)}


def _label(found: Any, labels: Sequence[str]) -> str:
    if isinstance(found, list):
        return ", ".join(labels[one] for one in found)
    return labels[found] if labels else f"{found:g}"


def _part(
    ids: Sequence[int],
    targets: Sequence[bool],
    tokenizer: PreTrainedTokenizerBase,
    tags: Sequence[str | None] | None = None,
) -> dict[str, Any]:
    """Neighbouring tokens keep their own pieces of text; together these are the text that is decoded."""
    shown, before = [], ""
    for number in range(1, min(len(ids), MOST_TOKENS) + 1):
        # half a character is shown with its other half
        text = str(tokenizer.decode(ids[:number], clean_up_tokenization_spaces=False)).rstrip("\ufffd")
        piece = text[len(before) :] if text.startswith(before) else tokenizer.convert_ids_to_tokens(ids[number - 1])
        before = text
        token: dict[str, Any] = {"text": str(piece), "target": targets[number - 1]}
        if tags and tags[number - 1] is not None:
            token["tag"] = tags[number - 1]
        shown.append(token)
    return {"tokens": shown, "more": max(0, len(ids) - MOST_TOKENS)}
