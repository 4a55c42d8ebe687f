"""Text-to-text generation: an encoder reads a source, a decoder writes the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from engine.tasks.base import Batch, Collator, Encoded, EncodedRow, Metrics, Padding, Task, tokenised
from engine.tasks.metrics import PerplexityAndAccuracy
from engine.tasks.text_generation import end_of_text

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase


class TextToText(Task):
    """Every token of the target is a target of the loss, the end of text among them.

    The metrics are those of a decoder that reads the right tokens so far.
    """

    name = "text2text-generation"
    needs_label = True

    def model_class(self) -> Any:
        from transformers import AutoModelForSeq2SeqLM

        return AutoModelForSeq2SeqLM

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        end = end_of_text(tokenizer)
        sources = tokenised(partial(tokenizer, verbose=False), [row["text"] for row in rows], max_length)
        targets = tokenised(
            lambda texts, **options: tokenizer(text_target=texts, verbose=False, **options),
            [row["label"] for row in rows],
            max_length,
        )
        encoded.truncated += sum(map(max, sources.cut, targets.cut))
        for ids, labels in zip(sources.ids, targets.ids, strict=True):
            if end is not None and labels[-1:] != [end] and len(labels) < max_length:
                labels = [*labels, end]
            if ids and labels:
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
            else:
                encoded.dropped += 1

    def collator(self, tokenizer: PreTrainedTokenizerBase, model: Any = None, *, seed: int = 0) -> Collator:
        return WithDecoderInputs(Padding(tokenizer.pad_token_id), model, of="labels")

    def widths(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        return len(row["input_ids"]), len(row["labels"])

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return PerplexityAndAccuracy()


class WithDecoderInputs:
    """Adds to a batch of an encoder-decoder what its decoder reads, `decoder_input_ids`: the part `of`, shifted right.

    Left alone, a model makes these of its labels, also where few of them are targets; a custom loss or label smoothing
    takes the labels away before.
    """

    def __init__(self, collate: Collator, model: Any, *, of: Literal["labels", "input_ids"]) -> None:
        self.collate = collate
        self.shifted: Callable[..., Tensor] | None = getattr(model, "prepare_decoder_input_ids_from_labels", None)
        self.of = of

    def __call__(self, rows: list[EncodedRow]) -> Batch:
        batch = self.collate(rows)
        if self.shifted is None:
            return batch
        return {**batch, "decoder_input_ids": self.shifted(labels=batch[self.of])}
