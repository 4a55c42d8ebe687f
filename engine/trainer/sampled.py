"""The few texts that a run samples, by task: what the model is given, what is right, and what it says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.accumulation import IGNORED
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.inference import Knobs, chat_ids, classes_of, fillings_of, generated, prompt_ids, tags_of
from engine.inference.heads import names_of, token_text
from engine.tasks.token_classification import first_token_labels

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from engine.trainer.prepared import Prepared

MOST_CHARACTERS = 2000
"""Of a text, as it is kept and shown."""

MOST_SCORES = 5
MOST_MASKS = 3


@dataclass(frozen=True)
class Said:
    """What the model says of one text, by the names of `SampleTaken`."""

    kind: str
    given: str
    wanted: Any
    got: Any
    right: list[bool]
    scores: list[dict[str, Any]]


Check = Callable[[], None]
Sampled = Callable[[Any, Check], Said]
"""One text: asked with the model, it says what the model says. The check is called now and then, and may raise."""


def sampled_texts(config: RunConfig, prepared: Prepared) -> list[Sampled]:
    """The texts of `config.samples`: its prompts, then rows held out.

    Raises ConfigError for a prompt that the task can't use.
    """
    assert config.samples is not None
    maker = MAKERS[config.task](prepared.loaded.tokenizer, config)
    rows = prepared.evaluation[: config.samples.held_out]
    return [
        *map(maker.of_prompt, config.samples.prompts),
        *(maker.of_row(row, place) for place, row in enumerate(rows)),
    ]


class _Maker:
    def __init__(self, tokenizer: PreTrainedTokenizerBase, config: RunConfig) -> None:
        assert config.samples is not None
        self.tokenizer = tokenizer
        self.max_length = config.data.max_length
        self.seed = config.seed
        # rows of questions and answers went through the model's chat template
        self.of_chat = any(getattr(config.data, key, None) for key in ("messages", "prompt"))
        self.knobs = Knobs(config.samples.max_new_tokens)

    def of_prompt(self, prompt: str) -> Sampled:
        raise NotImplementedError

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        raise NotImplementedError

    def text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))[:MOST_CHARACTERS]

    def ids(self, prompt: str) -> list[int]:
        """The tokens of a prompt as a row has them, cut at the maximal length."""
        found = self.tokenizer(prompt, truncation=True, max_length=self.max_length, verbose=False)
        return self.some(list(found["input_ids"]), prompt)

    def some(self, ids: list[int], prompt: str) -> list[int]:
        if not ids:
            raise ConfigError("samples.empty-prompt", field="samples.prompts", prompt=prompt)
        return ids


class _Continued(_Maker):
    """A text to go on with. Of a row that is its first half, or all before its first target where that is later."""

    def of_prompt(self, prompt: str) -> Sampled:
        if self.of_chat and self.tokenizer.chat_template:
            ids = chat_ids(self.tokenizer, prompt)
        else:
            ids = prompt_ids(self.tokenizer, prompt, goes_on=True)
        return self._written(self.some(ids, prompt)[: self.max_length], prompt)

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        ids, labels = row["input_ids"], row["labels"]
        first = next((at for at, label in enumerate(labels) if label != IGNORED), 0)
        cut = first if first > 1 else self._half(ids)
        # a text may go on in many ways, an answer is right or wrong
        return self._written(ids[:cut], self.text(ids[:cut]), ids[cut:], judged=first > 1)

    def _half(self, ids: list[int]) -> int:
        """The first token of the second half that begins a word, as tokenizers mark it."""
        half = max(1, len(ids) // 2)
        tokens = self.tokenizer.convert_ids_to_tokens(ids[half:])
        return next((half + place for place, token in enumerate(tokens) if token.startswith(("Ġ", "▁", " "))), half)

    def _written(self, ids: list[int], given: str, target: list[int] | None = None, *, judged: bool = True) -> Sampled:
        """What is right is judged where it is short enough to be written."""
        wanted = None if target is None else self.text(target)
        judged = judged and target is not None and len(target) <= self.knobs.max_new_tokens

        def say(model: Any, check: Check) -> Said:
            got = generated(model, self.tokenizer, ids, self.knobs, check)[:MOST_CHARACTERS]
            right = [got.strip() == str(wanted).strip()] if judged else []
            return Said("text", given, wanted, got, right, [])

        return say


class _Rewritten(_Continued):
    """A source to be made a target of."""

    def of_prompt(self, prompt: str) -> Sampled:
        return self._written(self.ids(prompt), prompt)

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        return self._written(row["input_ids"], self.text(row["input_ids"]), row["labels"])


class _Classified(_Maker):
    def of_prompt(self, prompt: str) -> Sampled:
        return self._named(self.ids(prompt), prompt, None)

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        return self._named(row["input_ids"], self.text(row["input_ids"]), row["labels"])

    def _named(self, ids: list[int], given: str, label: Any) -> Sampled:
        def say(model: Any, check: Check) -> Said:
            found = classes_of(model, ids)
            names = names_of(model)
            wanted = label
            if found.kind == "class" and label is not None:
                wanted = names[label]
            elif found.kind == "classes" and label is not None:
                wanted = [names[one] for one in label]
            right = []
            if wanted is not None and found.kind != "number":  # which is never hit
                right = [sorted(wanted) == sorted(found.got) if found.kind == "classes" else wanted == found.got]
            return Said(found.kind, given, wanted, found.got, right, found.scores[:MOST_SCORES])

        return say


class _Tagged(_Maker):
    def of_prompt(self, prompt: str) -> Sampled:
        words = prompt.split()
        ids, labels = tagged_words(self.tokenizer, words, self.max_length)
        return self._tags(self.some(ids, prompt), labels, words, None)

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        ids, labels = row["input_ids"], row["labels"]
        special = set(self.tokenizer.all_special_ids)
        places = [at for at, label in enumerate(labels) if label != IGNORED]
        ends = [*places[1:], len(ids)]
        words = [
            self.text([token for token in ids[start:end] if token not in special]).strip().replace(" ", "")
            for start, end in zip(places, ends, strict=True)
        ]
        return self._tags(ids, labels, words, [labels[at] for at in places])

    def _tags(self, ids: list[int], labels: list[int], words: list[str], tags: list[int] | None) -> Sampled:
        places = [at for at, label in enumerate(labels) if label != IGNORED]
        given = " ".join(words[: len(places)])

        def say(model: Any, check: Check) -> Said:
            scores = tags_of(model, ids, places)
            got = [score["name"] for score in scores]
            names = names_of(model)
            wanted = None if tags is None else [names[tag] for tag in tags]
            right = [] if wanted is None else [one == other for one, other in zip(wanted, got, strict=True)]
            return Said("tags", given, wanted, got, right, [])

        return say


def tagged_words(tokenizer: PreTrainedTokenizerBase, words: list[str], max_length: int) -> tuple[list[int], list[int]]:
    """The tokens of words, and labels that are not `IGNORED` at the first token of each."""
    found = tokenizer(
        " ".join(words), truncation=True, max_length=max_length, return_offsets_mapping=True, verbose=False
    )
    return list(found["input_ids"]), first_token_labels(words, [0] * len(words), found["offset_mapping"])


class _Filled(_Maker):
    """A few places of a row are to be filled, drawn by the seed and the row's place alone."""

    def of_prompt(self, prompt: str) -> Sampled:
        ids = self.ids(prompt)
        if self.tokenizer.mask_token_id not in ids:
            mask = self.tokenizer.mask_token
            raise ConfigError("samples.no-mask", field="samples.prompts", prompt=prompt, mask=mask)
        return self._filled(ids, prompt, None)

    def of_row(self, row: dict[str, Any], place: int) -> Sampled:
        ids = list(row["input_ids"])
        special = set(self.tokenizer.all_special_ids)
        ordinary = [at for at, token in enumerate(ids) if token not in special]
        number = min(MOST_MASKS, max(1, len(ordinary) // 8))
        masked = sorted(random.Random(f"{self.seed} {place}").sample(ordinary, number))
        wanted = [token_text(self.tokenizer, ids[at]) for at in masked]
        parts, start = [], 0
        for at in masked:
            parts.append(self.text(ids[start:at]).strip())
            ids[at], start = self.tokenizer.mask_token_id, at + 1
        given = f" {self.tokenizer.mask_token} ".join([*parts, self.text(ids[start:]).strip()])
        return self._filled(ids, given.strip(), wanted)

    def _filled(self, ids: list[int], given: str, wanted: list[str] | None) -> Sampled:
        def say(model: Any, check: Check) -> Said:
            scores = [best[0] for best in fillings_of(model, self.tokenizer, ids, 1)]
            got = [score["name"] for score in scores]
            right = [] if wanted is None else [one == other for one, other in zip(wanted, got, strict=True)]
            return Said("masks", given, wanted, got, right, scores)

        return say


MAKERS: dict[str, type[_Maker]] = {
    "text-generation": _Continued,
    "text2text-generation": _Rewritten,
    "text-classification": _Classified,
    "token-classification": _Tagged,
    "fill-mask": _Filled,
}
