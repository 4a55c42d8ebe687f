"""A model that is ready to train."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.errors import ConfigError

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# What a tokenizer says that knows no limit.
_NO_LIMIT = 10**9


@dataclass(frozen=True)
class Quantization:
    """In how many bits weights are loaded (8bit, 4bit), and on which device they then lie."""

    bits: str
    device: torch.device


@dataclass
class Loaded:
    """Model (fp32, on the CPU) and tokenizer, and what the user should know of how they came about.

    `new`: the names of weights that start at random beside pretrained ones. `notices`: codes of `errors.WORDING` with
    the values of their words.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    notices: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    new: tuple[str, ...] = ()

    @property
    def longest_row(self) -> int | None:
        """The most tokens that the model can read at once; None where it knows no limit."""
        positions = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        limits = [limit for limit in (positions, self.tokenizer.model_max_length) if limit and 0 < limit < _NO_LIMIT]
        return min(limits, default=None)

    def check_length(self, max_length: int) -> None:
        """Raises ConfigError `model.too-long` where rows of `max_length` tokens are more than the model can read."""
        longest = self.longest_row
        if longest is not None and max_length > longest:
            raise ConfigError("model.too-long", field="data.max_length", wanted=max_length, longest=longest)


def architecture(model: Any) -> str:
    """The model's class, adapters or not."""
    return type(model.get_base_model() if hasattr(model, "get_base_model") else model).__name__
