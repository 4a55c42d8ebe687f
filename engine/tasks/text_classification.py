"""Text classification: a class, several classes or a number for each row, one target a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.tasks.base import Batch, Collator, Encoded, EncodedRow, Metrics, Padding, Task, token_ids
from engine.tasks.class_metrics import OneClass, SeveralClasses, SquaredError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

METRICS: dict[str, Callable[[], Metrics]] = {
    "single_label_classification": OneClass,
    "multi_label_classification": SeveralClasses,
    "regression": SquaredError,
}


class TextClassification(Task):
    """The label of a row is its class (int), its classes (list of int) or its number (float)."""

    name = "text-classification"
    needs_label = True

    def model_class(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        return AutoModelForSequenceClassification

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        for row, ids in zip(
            rows, token_ids([row["text"] for row in rows], tokenizer, max_length, encoded), strict=True
        ):
            if ids:
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": row["label"]})
            else:
                encoded.dropped += 1

    def collator(self, tokenizer: PreTrainedTokenizerBase, model: Any = None, *, seed: int = 0) -> Collator:
        return WithRowLabels(Padding(tokenizer.pad_token_id), None if model is None else model.config.num_labels)

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return METRICS[problem_type or "single_label_classification"]()


class WithRowLabels:
    """Pads the texts; `labels` are (rows,) int64 for classes, (rows,) float32 for numbers.

    For lists of classes they are (rows, `classes`) float32: 1 for each class that a row has, else 0.
    """

    def __init__(self, pad: Padding, classes: int | None) -> None:
        self.pad = pad
        self.classes = classes

    def __call__(self, rows: list[EncodedRow]) -> Batch:
        import torch

        batch = self.pad([{**row, "labels": 0} for row in rows])
        labels = [row["labels"] for row in rows]
        if isinstance(labels[0], list):
            assert self.classes is not None
            marked = torch.zeros(len(rows), self.classes)
            for row, classes in enumerate(labels):
                marked[row, classes] = 1.0
            return {**batch, "labels": marked}
        return {**batch, "labels": torch.tensor(labels)}
