"""The process that tries models for another."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import torch

from engine.answering.loop import answer_lines, told_as_answer
from engine.attempt.about import WITH_BASE
from engine.attempt.loading import load_base, load_trained
from engine.config import RunConfig
from engine.config.attempt import AttemptRequest
from engine.errors import BirikimError, RunError, reason_of
from engine.inference import Knobs, chat_ids, classes_of, fillings_of, generated, prompt_ids, tags_of
from engine.memory.exhausted import is_out_of_memory
from engine.memory.release import release
from engine.models import Loaded
from engine.trainer.sampled import tagged_words

Answer = dict[str, Any]

IDLE = 300.0
"""Seconds without a question after which the process ends, and its models with it."""

MOST_TOKENS = 4096
"""Of a text, where the model knows no limit."""

MOST_SCORES = 100
FILLINGS = 5


class Trying:
    """Answers questions, and keeps one run's model and the one that it began with."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._of: tuple[Any, ...] | None = None
        self._trained: Loaded | None = None
        self._base: Loaded | None = None

    def answer(self, question: dict[str, Any]) -> Answer:
        """`{run, ended, folder, config, request}` → `kind` as in `SampleTaken` and what was found.

        A text: `text`, `tokens` written. A class, classes or number: `got` and `scores`. Masks: `fillings`, of each
        place the likeliest. Tags: `words` with `name` and `score`. And the `seconds` that it took.
        """
        config = RunConfig.from_dict(question["config"])
        request = AttemptRequest(**question["request"])
        if request.base and config.task not in WITH_BASE:
            raise RunError("try.no-base", task=config.task)
        loaded = self._ready(question, config, request.base)
        began = time.perf_counter()
        torch.manual_seed(request.seed)
        with torch.no_grad():
            found = ANSWERS[config.task](loaded, request)
        return {**found, "seconds": time.perf_counter() - began}

    def _ready(self, question: dict[str, Any], config: RunConfig, base: bool) -> Loaded:
        of = (question["folder"], question["ended"])
        if self._of != of:
            self._of = self._trained = self._base = None
            release()
            self._trained = load_trained(Path(question["folder"]), config.task, question["run"])
            self._of = of
        assert self._trained is not None
        if base and self._base is None:
            self._base = load_base(config, self._trained, self._cache)
        return self._base if base and self._base else self._trained


def continued(loaded: Loaded, request: AttemptRequest) -> Answer:
    tokenizer = loaded.tokenizer
    if request.chat:
        if not tokenizer.chat_template:
            raise RunError("try.chat")
        ids = chat_ids(tokenizer, request.text)
    else:
        ids = prompt_ids(tokenizer, request.text, goes_on=True)
    return written(loaded, ids, request, beside=request.max_new_tokens)


def rewritten(loaded: Loaded, request: AttemptRequest) -> Answer:
    return written(loaded, prompt_ids(loaded.tokenizer, request.text, goes_on=False), request, beside=0)


def written(loaded: Loaded, ids: list[int], request: AttemptRequest, *, beside: int) -> Answer:
    check_length(loaded, ids, beside)
    knobs = Knobs(request.max_new_tokens, request.temperature, request.top_p)
    return {"kind": "text", "text": generated(loaded.model, loaded.tokenizer, ids, knobs)}


def classified(loaded: Loaded, request: AttemptRequest) -> Answer:
    ids = prompt_ids(loaded.tokenizer, request.text, goes_on=False)
    check_length(loaded, ids)
    found = classes_of(loaded.model, ids)
    return {**vars(found), "scores": found.scores[:MOST_SCORES]}


def filled(loaded: Loaded, request: AttemptRequest) -> Answer:
    ids = prompt_ids(loaded.tokenizer, request.text, goes_on=False)
    check_length(loaded, ids)
    if loaded.tokenizer.mask_token_id not in ids:
        raise RunError("try.no-mask", mask=loaded.tokenizer.mask_token)
    return {"kind": "masks", "fillings": fillings_of(loaded.model, loaded.tokenizer, ids, FILLINGS)}


def tagged(loaded: Loaded, request: AttemptRequest) -> Answer:
    words = request.text.split()
    most = longest(loaded)
    ids, labels = tagged_words(loaded.tokenizer, words, most + 1)
    check_length(loaded, ids)
    places = [place for place, label in enumerate(labels) if label == 0]
    tags = tags_of(loaded.model, ids, places)
    return {"kind": "tags", "words": [{"word": word, **tag} for word, tag in zip(words, tags, strict=False)]}


ANSWERS = {
    "text-generation": continued,
    "text2text-generation": rewritten,
    "text-classification": classified,
    "fill-mask": filled,
    "token-classification": tagged,
}


def longest(loaded: Loaded) -> int:
    return min(loaded.longest_row or MOST_TOKENS, MOST_TOKENS)


def check_length(loaded: Loaded, ids: list[int], beside: int = 0) -> None:
    """Raises RunError `try.too-long` where `ids` and `beside` more tokens are more than the model can read."""
    most = longest(loaded) - beside
    if len(ids) > most or not ids:
        words = f" beside {beside} new ones" if beside else ""
        raise RunError("try.too-long", tokens=len(ids), most=max(0, most), beside=words)


def answered(trying: Trying, question: dict[str, Any]) -> Answer:
    """The answer, or the fault that took its place."""
    try:
        return {"state": "done", **trying.answer(question)}
    except BirikimError as fault:
        return told_as_answer(fault)
    except Exception as problem:
        words = "memory ran out" if is_out_of_memory(problem) else f"{type(problem).__name__}: {reason_of(problem)}"
        return told_as_answer(RunError("try.failed", problem=words))


def main() -> None:
    # a training on the same machine comes first
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
    trying = Trying(Path(sys.argv[1]))
    answer_lines(lambda question: answered(trying, question), idle=IDLE)


if __name__ == "__main__":
    main()
