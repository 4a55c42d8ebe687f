"""Text generation: every token predicts the next one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.tasks.base import Encoded, Metrics, Task, token_ids

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase


class TextGeneration(Task):
    """Labels are the row's own tokens; the model's head compares each with the token before it.

    A row ends with the end-of-text token, so that the model learns where to stop. A row that fills the maximal
    length does not: its text goes on, and there is no room.
    """

    name = "text-generation"
    needs_label = False

    def model_class(self) -> Any:
        from transformers import AutoModelForCausalLM

        return AutoModelForCausalLM

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        end = end_of_text(tokenizer)
        for ids in token_ids([row["text"] for row in rows], tokenizer, max_length, encoded):
            if end is not None and ids[-1:] != [end] and len(ids) < max_length:
                ids = [*ids, end]
            if len(ids) > 1:
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": list(ids)})
            else:
                encoded.dropped += 1

    def new_metrics(self) -> Metrics:
        return Perplexity()


def end_of_text(tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The token that ends a text; encoders, which have none, end with their separator."""
    end: int | None = tokenizer.eos_token_id
    return tokenizer.sep_token_id if end is None else end


class Perplexity:
    """exp of the mean loss over all targets; the loss says all of it, so that no batch needs counting."""

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        pass

    def result(self, loss: float | None = None) -> dict[str, float]:
        # Beyond this the double overflows, and a perplexity of e^700 says nothing that the loss does not.
        if loss is None or not loss < 700:
            return {}
        return {"perplexity": math.exp(loss)}
