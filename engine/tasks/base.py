"""What every task has in common: encoded rows, padding, and the protocol of a metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from engine.accumulation import IGNORED

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

EncodedRow = dict[str, Any]
Batch = dict[str, "Tensor"]
Collator = Callable[[list[EncodedRow]], Batch]

# Bounds the memory of one tokenizer call; larger chunks are no faster.
CHUNK = 1000


class Encoded(list[EncodedRow]):
    """Encoded rows without padding, and what encoding did to the others.

    `truncated`: rows that were cut at the maximal length. `dropped`: rows that held no target. `unanswered`: rows of
    conversations whose answers lay beyond the maximal length.
    """

    def __init__(self, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.truncated = 0
        self.dropped = 0
        self.unanswered = 0

    @property
    def sample(self) -> Encoded:
        """Rows to be looked at, to see what rows are like here: all of them."""
        return self

    @property
    def notices(self) -> list[tuple[str, dict[str, int]]]:
        """What the user should know, as codes of `errors.WORDING` with the values of their words."""
        counts = {
            "task.cut-rows": self.truncated,
            "task.rows-without-target": self.dropped,
            "task.answers-cut-off": self.unanswered,
        }
        rows = len(self) + self.dropped + self.unanswered
        return [
            (code, {"count": count, "rows": rows, "max_length": self.max_length})
            for code, count in counts.items()
            if count
        ]


class Metrics(Protocol):
    """Sums over the batches of one evaluation, so that the result is the same at any batch size."""

    def add(self, outputs: Any, batch: Mapping[str, Tensor]) -> None:
        """Count one batch: the model's `outputs` and the collated `batch` with its labels."""

    def result(self, loss: float | None = None) -> dict[str, float]:
        """Metrics by name. `loss` is the mean over all evaluation targets, for metrics that follow from it."""

    def sums(self) -> dict[str, Any]:
        """What was counted so far, as values on the host."""

    def take(self, shares: Sequence[Mapping[str, Any]]) -> None:
        """Stands from now on for all that was counted in `shares`, each of them what `sums` has given somewhere."""


class Sums:
    """A metric that keeps nothing but sums, under the names of `COUNTED`."""

    COUNTED: ClassVar[tuple[str, ...]] = ()

    def sums(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.COUNTED}
        return {name: value.cpu() if hasattr(value, "cpu") else value for name, value in found.items()}

    def take(self, shares: Sequence[Mapping[str, Any]]) -> None:
        for name in self.COUNTED:
            setattr(self, name, sum(share[name] for share in shares))


class Task(ABC):
    """One kind of training: what is loaded, what a row becomes, what is measured."""

    name: ClassVar[str]
    """The Hub's pipeline name."""

    needs_label: ClassVar[bool]
    """Whether a row must carry a label beside its text."""

    predicts_next: ClassVar[bool] = False
    """Whether a label is the token after the one that it stands at."""

    @abstractmethod
    def model_class(self) -> Any:
        """The transformers Auto class that loads a model with this task's head."""

    @abstractmethod
    def encode_chunk(
        self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
    ) -> None:
        """Append the encoded `rows` to `encoded`, and count there what was cut or left out."""

    @abstractmethod
    def new_metrics(self, labels: Sequence[str] = (), problem_type: str | None = None) -> Metrics:
        """A fresh metric for one evaluation. `labels` and `problem_type` are those of the data."""

    def encode(self, rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int) -> Encoded:
        """Token ids, attention mask and labels of each row, at most `max_length` tokens long, unpadded.

        A row without a target is left out: it would be an example that teaches nothing, and a batch
        of such rows has no mean loss.
        """
        encoded = Encoded(max_length)
        for start in range(0, len(rows), CHUNK):
            self.encode_chunk(rows[start : start + CHUNK], tokenizer, max_length, encoded)
        return encoded

    def collator(self, tokenizer: PreTrainedTokenizerBase, model: Any = None, *, seed: int = 0) -> Collator:
        """Pads encoded rows on the right to the longest of the batch; all tensors are int64, but for labels of numbers.

        Whatever is drawn follows from `seed`, and from the `epoch` and the place (`row`) that the rows carry. `model`
        is the one to be trained, for batches that hold what it makes of the labels.
        """
        return Padding(tokenizer.pad_token_id)

    def widths(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        """The lengths of what is padded in an encoded row, as `engine.accumulation.deal` takes them."""
        return (len(row["input_ids"]),)


class Padding:
    """Makes a batch of encoded rows: `input_ids` and `attention_mask` (rows, longest), and `labels`.

    Labels are (rows, longest) where a row has one for each token, else (rows,). What is padding is known
    from the rows' lengths alone, since many models use one token for padding and for the end of text.
    """

    def __init__(self, pad_token_id: int) -> None:
        self.fill = {"input_ids": pad_token_id, "attention_mask": 0, "labels": IGNORED}

    def __call__(self, rows: list[EncodedRow]) -> Batch:
        import torch

        return {
            key: torch.tensor(self.padded([row[key] for row in rows], fill), dtype=torch.int64)
            for key, fill in self.fill.items()
        }

    @staticmethod
    def padded(values: list[Any], fill: int) -> list[Any]:
        if isinstance(values[0], int):
            return values
        longest = max(map(len, values))
        return [value + [fill] * (longest - len(value)) for value in values]


def token_ids(
    texts: list[str], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
) -> list[list[int]]:
    """Token ids of each text with the tokenizer's special tokens, cut at `max_length`, and counted in `encoded`."""
    found = tokenised(partial(tokenizer, verbose=False), texts, max_length)
    encoded.truncated += sum(found.cut)
    return found.ids


@dataclass
class Tokenised:
    """What a tokenizer makes of texts: `ids`, whether each text was `cut`, and `spans` where they were asked for.

    A span is the part of the text that a token stands for: (first character, character after its last).
    """

    ids: list[list[int]]
    cut: list[bool]
    spans: list[list[tuple[int, int]]]


def tokenised(tokenize: Callable[..., Any], texts: list[str], max_length: int) -> Tokenised:
    """The tokens of each text, with the tokenizer's special tokens, cut at `max_length`.

    Cut texts are tokenised a second time, because only the tokenizer knows which special tokens a cut
    text must keep.
    """
    found = tokenize(texts)
    ids: list[list[int]] = list(found["input_ids"])
    spans: list[list[tuple[int, int]]] = list(found.get("offset_mapping", []))
    cut = [len(row) > max_length for row in ids]
    long = [index for index, is_cut in enumerate(cut) if is_cut]
    if long:
        again = tokenize([texts[index] for index in long], truncation=True, max_length=max_length)
        for place, index in enumerate(long):
            ids[index] = again["input_ids"][place]
            if spans:
                spans[index] = again["offset_mapping"][place]
    return Tokenised(ids, cut, spans)
