"""Text that a model writes: what it reads first, and how the next token is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList

from engine.tasks.text_generation import end_of_text

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Knobs:
    """`temperature` None takes the likeliest token each time; else one is drawn of those that sum to `top_p`."""

    max_new_tokens: int
    temperature: float | None = None
    top_p: float = 1.0


def prompt_ids(tokenizer: PreTrainedTokenizerBase, text: str, *, goes_on: bool) -> list[int]:
    """The tokens of a text; where the model `goes_on` with it, without the token that ends one."""
    ids: list[int] = list(tokenizer(text, verbose=False)["input_ids"])
    end = end_of_text(tokenizer)
    return ids[:-1] if goes_on and ids and ids[-1] == end else ids


def chat_ids(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """The tokens of a message of the user, where the model's answer is to follow; the tokenizer has a template."""
    message = [{"role": "user", "content": text}]
    written = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(written, add_special_tokens=False, verbose=False)["input_ids"])


def generated(
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    ids: list[int],
    knobs: Knobs,
    check: Callable[[], None] = lambda: None,
) -> str:
    """What the model writes after `ids`, or in answer to them. `check` is called at each token, and may raise."""
    row = torch.tensor([ids], device=model.device)
    draws = {"temperature": knobs.temperature, "top_p": knobs.top_p, "top_k": 0} if knobs.temperature else {}
    found = model.generate(
        input_ids=row,
        attention_mask=torch.ones_like(row),
        do_sample=knobs.temperature is not None,
        num_beams=1,
        max_new_tokens=knobs.max_new_tokens,
        use_cache=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=_ends(model, tokenizer),
        stopping_criteria=StoppingCriteriaList([_Checking(check)]),
        **draws,
    )[0].tolist()
    written = found if model.config.is_encoder_decoder else found[len(ids) :]
    text: str = tokenizer.decode(written, skip_special_tokens=True)
    return text


def _ends(model: Any, tokenizer: PreTrainedTokenizerBase) -> list[int] | None:
    """The tokens that end a text: those that the model's authors name, and the one that it was trained to end with."""
    named = model.generation_config.eos_token_id
    ends = {*(named if isinstance(named, list) else [named]), end_of_text(tokenizer)} - {None}
    return sorted(ends) or None


class _Checking(StoppingCriteria):  # type: ignore[misc]
    """Ends nothing by itself."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        self.check()
        return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)
