"""What the page says of a model before it is loaded: one line under its field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine import ConfigError, model_card

Phrase = dict[str, Any]

LICENCES = {"mit": "MIT", "apache-2.0": "Apache-2.0", "bsd-3-clause": "BSD-3-Clause", "cc-by-4.0": "CC BY 4.0"}


def card_line(model: str, task: str) -> list[list[Phrase]]:
    """The phrases of a model's card; none where it can't be had, which is said elsewhere."""
    try:
        line = list(_phrases(model_card(model, task), task))
    except ConfigError:
        return []
    return [line] if line else []


def _phrases(card: dict[str, Any], task: str) -> Iterator[Phrase]:
    if card["architecture"]:
        yield _phrase("card.architecture", name=card["architecture"])
    if card["parameters"]:
        yield _parameters(card["parameters"])
    if card["random"]:
        yield _phrase("card.random")
    if card["context"]:
        yield _phrase("card.context", tokens=card["context"])
    if card["licence"]:
        yield _phrase("card.licence", licence=LICENCES.get(card["licence"], card["licence"]))
    if card["chat_template"] and task == "text-generation":
        yield _phrase("card.chat")
    if card["own_code"]:
        yield _phrase("card.own-code")
    elif card["quantized"]:
        yield _phrase("card.quantized")
    elif card["other_weights"]:
        yield _phrase("card.other-weights", file=card["other_weights"])
    elif card["serves"] is False:
        yield _phrase("card.no-head")
    elif card["new_head"]:
        yield _phrase("card.new-head")
    if card["gated"]:
        yield _phrase("card.gated")
    elif not card["here"]:
        yield _phrase("card.elsewhere")


def _parameters(count: int) -> Phrase:
    for least, factor, name in ((10**9, 10**9, "b"), (10**6, 10**6, "m"), (0, 10**3, "k")):
        if count >= least:
            return _phrase(f"card.parameters.{name}", count=float(f"{count / factor:.3g}"))
    raise ValueError(count)


def _phrase(phrase: str, /, **values: Any) -> Phrase:
    return {"name": phrase, "values": values}
