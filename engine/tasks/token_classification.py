"""Token classification: a tag for each word of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.errors import ConfigError
from engine.tasks.base import Encoded, Metrics, Sums, Task, tokenised

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

OUTSIDE = "O"
"""The tag of words that belong to nothing."""


class TokenClassification(Task):
    """The first token of each word is the word's target."""

    name = "token-classification"
    needs_label = True

    def model_class(self) -> Any:
        from transformers import AutoModelForTokenClassification

        return AutoModelForTokenClassification

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        if not tokenizer.is_fast:
            raise ConfigError("task.slow-tokenizer", field="task", task=self.name)
        # the words go in as one text, for with it a tokenizer learnt what a word's beginning looks like
        texts = [" ".join(row["words"]) for row in rows]
        found = tokenised(partial(tokenizer, verbose=False, return_offsets_mapping=True), texts, max_length)
        encoded.truncated += sum(found.cut)
        for row, ids, spans in zip(rows, found.ids, found.spans, strict=True):
            labels = first_token_labels(row["words"], row["label"], spans)
            if any(label != IGNORED for label in labels):
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
            else:
                encoded.dropped += 1

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return TagMetrics(labels.index(OUTSIDE) if OUTSIDE in labels else None)


def first_token_labels(words: Sequence[str], tags: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """The tag of each word at the first token that holds its first character, -100 at all other tokens.

    `spans` are the tokens' places in the words joined by spaces. A token of two words carries the first one's tag; a
    word of which no token is left has none.
    """
    labels = [IGNORED] * len(spans)
    start = place = 0
    for word, tag in zip(words, tags, strict=True):
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if word and place < len(spans) and spans[place][0] <= start and labels[place] == IGNORED:
            labels[place] = tag
        start += len(word) + 1
    return labels


class TagMetrics(Sums):
    """Accuracy over the words, and F1 over all tags but `outside` as one: 2 · right / (predicted + actual)."""

    COUNTED = ("right", "words", "right_tags", "tags")

    def __init__(self, outside: int | None) -> None:
        self.outside = outside
        self.right: Tensor | int = 0
        self.words: Tensor | int = 0
        self.right_tags: Tensor | int = 0
        self.tags: Tensor | int = 0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels, found = batch["labels"], outputs.logits.argmax(-1)
        kept, right = labels != IGNORED, found == labels
        outside = -1 if self.outside is None else self.outside
        self.right = self.right + right.sum()
        self.words = self.words + kept.sum()
        self.right_tags = self.right_tags + (right & (labels != outside)).sum()
        self.tags = self.tags + (kept & (found != outside)).sum() + (kept & (labels != outside)).sum()

    def result(self, loss: float | None = None) -> dict[str, float]:
        words, tags = int(self.words), int(self.tags)
        if not words:
            return {}
        f1 = {"micro_f1": 2 * int(self.right_tags) / tags} if tags else {}
        return {"accuracy": int(self.right) / words, **f1}
