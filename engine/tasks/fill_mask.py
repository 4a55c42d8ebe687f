"""Fill-mask: the tokens that were taken out of a text are its targets."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.errors import ConfigError
from engine.tasks.base import Batch, Collator, Encoded, EncodedRow, Metrics, Padding, Task, token_ids
from engine.tasks.metrics import PerplexityAndAccuracy
from engine.tasks.text_to_text import WithDecoderInputs

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SHARE = 0.15
"""Of a row's ordinary tokens, those that become targets."""

MASKED, RANDOM = 0.8, 0.1
"""Of the targets, those that the mask token stands for, and those that any token stands for; the others stay."""


class FillMask(Task):
    """Which tokens are taken out is drawn anew in each pass over the data, and the same in every evaluation."""

    name = "fill-mask"
    needs_label = False

    def model_class(self) -> Any:
        from transformers import AutoModelForMaskedLM

        return AutoModelForMaskedLM

    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        if tokenizer.mask_token_id is None:
            raise ConfigError("task.no-mask-token", field="task", task=self.name)
        special = set(tokenizer.all_special_ids)
        for ids in token_ids([row["text"] for row in rows], tokenizer, max_length, encoded):
            if special.issuperset(ids):
                encoded.dropped += 1
            else:
                encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids)})

    def collator(self, tokenizer: PreTrainedTokenizerBase, model: Any = None, *, seed: int = 0) -> Collator:
        # the decoder of one that has one reads the same text with its gaps, as when gaps are filled later
        return WithDecoderInputs(Masking(tokenizer, seed), model, of="input_ids")

    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        return PerplexityAndAccuracy()


class Masking:
    """Pads rows after it has taken tokens out of each; `labels` are the tokens that were there, else -100.

    What is drawn follows from the seed, the row's place and the pass over the data alone: it is the same in whatever
    micro-batch the row lands, in any worker, and after a resumption.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, seed: int) -> None:
        self.seed = seed
        self.pad = Padding(tokenizer.pad_token_id)
        self.mask: int = tokenizer.mask_token_id
        self.special = frozenset(tokenizer.all_special_ids)
        self.ordinary = [token for token in range(len(tokenizer)) if token not in self.special]

    def __call__(self, rows: list[EncodedRow]) -> Batch:
        return self.pad([self.masked(row) for row in rows])

    def masked(self, row: EncodedRow) -> EncodedRow:
        # a text as the seed is hashed the same way in every process
        draw = random.Random(f"{self.seed} {row['epoch']} {row['row']}")
        ids: list[int] = list(row["input_ids"])
        labels = [IGNORED] * len(ids)
        places = [place for place, token in enumerate(ids) if token not in self.special]
        for place in draw.sample(places, max(1, round(SHARE * len(places)))):
            labels[place] = ids[place]
            chance = draw.random()
            if chance < MASKED:
                ids[place] = self.mask
            elif chance < MASKED + RANDOM:
                ids[place] = draw.choice(self.ordinary)
        return {"input_ids": ids, "attention_mask": row["attention_mask"], "labels": labels}
