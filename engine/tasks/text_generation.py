"""Text generation: every token predicts the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.tasks.base import Batch, Encoded, Metrics, Task, token_ids
from engine.tasks.chat import encode_answers
from engine.tasks.metrics import Perplexity

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class TextGeneration(Task):
    """Labels are the row's own tokens, of a conversation those of the answers; each is predicted from those before.

    A row ends with the end-of-text token, so that the model learns where to stop. A row that fills the maximal
    length does not: its text goes on, and there is no room.
    """

    name = "text-generation"
    needs_label = False
    predicts_next = True

    def model_class(self) -> Any:
        from transformers import AutoModelForCausalLM

        return AutoModelForCausalLM

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        if rows and "text" not in rows[0]:
            encode_answers(rows, tokenizer, max_length, encoded)
            return
        end = end_of_text(tokenizer)
        for ids in token_ids([row["text"] for row in rows], tokenizer, max_length, encoded):
            if end is not None and ids[-1:] != [end] and len(ids) < max_length:
                ids = [*ids, end]
            if len(ids) > 1:
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": list(ids)})
            else:
                encoded.dropped += 1

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return Perplexity()


def packed(rows: Sequence[Mapping[str, Any]]) -> Batch:
    """Rows laid end to end: all of shape (1, total length), without padding and without an attention mask.

    Positions begin anew with each row, by which a model keeps the rows apart. Nothing predicts a row's first token.
    """
    import torch

    parts = {
        "input_ids": [token for row in rows for token in row["input_ids"]],
        "position_ids": [place for row in rows for place in range(len(row["input_ids"]))],
        "labels": [label for row in rows for label in (IGNORED, *row["labels"][1:])],
    }
    batch: Batch = {name: torch.tensor([values], dtype=torch.int64) for name, values in parts.items()}
    # with a cache, models take all of it for one text
    return {**batch, "use_cache": False}  # type: ignore[dict-item]


def next_token_labels(collate: Callable[[Any], Batch], rows: Any) -> Batch:
    """A batch whose labels are the tokens after, for a head that compares each position with its own label."""
    batch = collate(rows)
    labels = batch["labels"].roll(-1, dims=-1)
    labels[..., -1] = IGNORED
    return {**batch, "labels": labels}


def end_of_text(tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The token that ends a text; encoders, which have none, end with their separator."""
    end: int | None = tokenizer.eos_token_id
    return tokenizer.sep_token_id if end is None else end
