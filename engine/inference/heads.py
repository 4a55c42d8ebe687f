"""What the head of a model finds in one row of tokens, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from engine.models.head import NUMBER

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SEVERAL = "multi_label_classification"

Score = dict[str, Any]
"""`name` and `score`, a probability."""


@dataclass(frozen=True)
class Found:
    """`kind` as in `SampleTaken`, what was `got`, and the `scores` of all classes, the likeliest first."""

    kind: str
    got: Any
    scores: list[Score]


def classes_of(model: Any, ids: list[int]) -> Found:
    """The class, the classes (a probability above one half) or the number of a text."""
    logits = logits_of(model, ids)[0].flatten()
    names = names_of(model)
    if model.config.problem_type == NUMBER:
        return Found("number", float(logits[0]), [])
    if model.config.problem_type == SEVERAL:
        chances = logits.sigmoid().tolist()
        got = [name for name, chance in zip(names, chances, strict=True) if chance > 0.5]
        return Found("classes", got, _sorted(names, chances))
    return Found("class", names[int(logits.argmax())], _sorted(names, logits.softmax(-1).tolist()))


def tags_of(model: Any, ids: list[int], places: list[int]) -> list[Score]:
    """The likeliest tag at each of `places`."""
    chances = logits_of(model, ids)[0].softmax(-1)
    names = names_of(model)
    best = chances[places].max(-1)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return [{"name": names[place], "score": score} for place, score in pairs]


def fillings_of(model: Any, tokenizer: PreTrainedTokenizerBase, ids: list[int], most: int) -> list[list[Score]]:
    """The `most` likeliest tokens for each mask token in `ids`, the likeliest first."""
    places = [place for place, token in enumerate(ids) if token == tokenizer.mask_token_id]
    best = logits_of(model, ids)[0][places].softmax(-1).topk(most)
    return [
        [{"name": token_text(tokenizer, token), "score": score} for token, score in zip(tokens, scores, strict=True)]
        for tokens, scores in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def token_text(tokenizer: PreTrainedTokenizerBase, token: int) -> str:
    text = str(tokenizer.decode([token]))
    return text.strip() or text


def names_of(model: Any) -> list[str]:
    """The names of the classes, in the order of the head's outputs."""
    return [str(model.config.id2label[place]) for place in range(len(model.config.id2label))]


def logits_of(model: Any, ids: list[int]) -> torch.Tensor:
    """In fp32 on the CPU, of one row."""
    row = torch.tensor([ids], device=model.device)
    logits: torch.Tensor = model(input_ids=row, attention_mask=torch.ones_like(row)).logits
    return logits.float().cpu()


def _sorted(names: list[str], chances: list[float]) -> list[Score]:
    pairs = sorted(zip(names, chances, strict=True), key=lambda pair: -pair[1])
    return [{"name": name, "score": score} for name, score in pairs]
