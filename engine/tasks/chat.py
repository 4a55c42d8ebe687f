"""Conversations as tokens, through the model's chat template; the answers of the assistant are the targets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.errors import ConfigError, reason_of
from engine.tasks.base import Encoded

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Span = tuple[int, int]
"""A stretch of a text: first character, character after its last."""

_MARKED = re.compile(r"\{%-?\s*generation\s*-?%\}")

ANSWER = "assistant"


def encode_answers(
    rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerBase, max_length: int, encoded: Encoded
) -> None:
    """Appends rows of `messages`, or of `prompt` and `completion`; labels are -100 but for the answers' tokens.

    Without a chat template a prompt and its completion are laid end to end, and the end of text after them. A row whose
    answers all lie beyond `max_length` is left out and counted.

    Raises ConfigError with the row's place where the template refuses it.
    """
    if not tokenizer.is_fast:
        raise ConfigError("task.slow-chat-tokenizer", field="model")
    for row in rows:
        ids, learnt = _laid_out(row, tokenizer)
        if len(ids) > max_length:
            encoded.truncated += 1
            ids, learnt = ids[:max_length], learnt[:max_length]
        if any(learnt[1:]):
            labels = [token if target else IGNORED for token, target in zip(ids, learnt, strict=True)]
            encoded.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
        else:
            encoded.unanswered += 1


def _laid_out(row: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase) -> tuple[list[int], list[bool]]:
    """The row's tokens, and of each whether it is part of an answer."""
    if "messages" not in row and tokenizer.chat_template is None:
        return _end_to_end(row["prompt"], row["completion"], tokenizer)
    turns = row["messages"] if "messages" in row else [
        {"role": "user", "content": row["prompt"]}, {"role": ANSWER, "content": row["completion"]}
    ]  # fmt: skip
    if tokenizer.chat_template is None:
        raise ConfigError("task.no-chat-template", field="model")
    first = row.get("learnt_from", 0)
    if first == 0 and _marked(tokenizer):
        found = _templated(tokenizer, turns, row, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
        return list(found["input_ids"]), [bool(one) for one in found["assistant_masks"]]
    text, spans = answers_in(turns, first, row, tokenizer)
    return _spans_as_tokens(text, spans, tokenizer)


def answers_in(
    turns: Sequence[Mapping[str, str]], first: int, row: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase
) -> tuple[str, list[Span]]:
    """The conversation as the template writes it, and where the answers from turn `first` on stand in it.

    An answer is what a conversation that ends with it has more than one that waits for it. Raises ConfigError where the
    template writes a conversation otherwise once it goes on.
    """
    whole: str = _templated(tokenizer, turns, row, tokenize=False)
    spans: list[Span] = []
    for number, turn in enumerate(turns):
        if number < first or turn["role"] != ANSWER:
            continue
        after: str = _templated(tokenizer, turns[: number + 1], row, tokenize=False)
        if number:
            before: str = _templated(tokenizer, turns[:number], row, tokenize=False, add_generation_prompt=True)
        else:  # no template writes a conversation without a turn
            before = after[: max(0, after.find(turn["content"]))]
        if not (after.startswith(before) and whole.startswith(after)):
            raise ConfigError("task.template-rewrites", field="model", place=row.get("place"), number=number + 1)
        said = after[len(before) :]
        # the line break that follows the mark of an end is nobody's to say; without a mark it is the end
        marked = not said.rstrip().endswith(turn["content"].rstrip())
        spans.append((len(before), len(before) + len(said.rstrip() if marked else said)))
    return whole, spans


def _end_to_end(prompt: str, completion: str, tokenizer: PreTrainedTokenizerBase) -> tuple[list[int], list[bool]]:
    text = prompt + completion
    ids, learnt = _spans_as_tokens(text, [(len(prompt), len(text))], tokenizer, add_special_tokens=True)
    end = tokenizer.eos_token_id if tokenizer.eos_token_id is not None else tokenizer.sep_token_id
    if end is None:
        return ids, learnt
    if ids[-1:] == [end]:
        return ids, [*learnt[:-1], True]
    return [*ids, end], [*learnt, True]


def _spans_as_tokens(
    text: str, spans: Sequence[Span], tokenizer: PreTrainedTokenizerBase, *, add_special_tokens: bool = False
) -> tuple[list[int], list[bool]]:
    """A token that holds a character of a span is learnt, also one that begins before it."""
    found = tokenizer(text, add_special_tokens=add_special_tokens, return_offsets_mapping=True, verbose=False)
    learnt, place = [], 0
    for start, end in found["offset_mapping"]:
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        learnt.append(start < end and place < len(spans) and end > spans[place][0])
    return list(found["input_ids"]), learnt


def _marked(tokenizer: PreTrainedTokenizerBase) -> bool:
    template = tokenizer.chat_template
    return isinstance(template, str) and _MARKED.search(template) is not None


def _templated(tokenizer: PreTrainedTokenizerBase, turns: Any, row: Mapping[str, Any], **options: Any) -> Any:
    try:
        return tokenizer.apply_chat_template(list(turns), **options)
    except Exception as error:
        raise ConfigError(
            "task.template-refuses", field="model", place=row.get("place"), reason=reason_of(error)
        ) from None
