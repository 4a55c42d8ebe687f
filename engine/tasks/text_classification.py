"""Text classification: one class a row, one target a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.tasks.base import Encoded, Metrics, Task, token_ids

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase


class TextClassification(Task):
    """The label of a row is its class; every row is one target."""

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

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return Accuracy()


class Accuracy:
    """The share of rows whose highest logit is their class. Sums stay on the device until the result is asked for."""

    def __init__(self) -> None:
        self.correct: Tensor | int = 0
        self.rows = 0

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        labels = batch["labels"]
        self.correct = self.correct + (outputs.logits.argmax(-1) == labels).sum()
        self.rows += labels.numel()

    def result(self, loss: float | None = None) -> dict[str, float]:
        return {"accuracy": int(self.correct) / self.rows} if self.rows else {}
