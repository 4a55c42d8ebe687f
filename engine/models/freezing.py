"""Weights that stay as they are, while the others are trained."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from engine.config.freezing import ENCODER
from engine.errors import ConfigError
from engine.models.pretrained import in_body


def freeze(model: Any, what: str | Sequence[str], task: str) -> None:
    """Leaves what `what` names without a gradient: patterns over the names of parameters, or `encoder`.

    Of a model that writes one text for another, `encoder` is its encoder; of any other, its pretrained body. A weight
    that what is trained has too (embeddings that are the output's as well) is trained.

    Raises ConfigError about `freeze`: a pattern that no parameter has, or nothing left to train.
    """
    named = list(model.named_parameters(remove_duplicate=False))
    if what == ENCODER:
        inside = _encoder(model, task)
        trained = {id(weight) for name, weight in named if name not in inside}
        frozen = [weight for name, weight in named if name in inside and id(weight) not in trained]
    else:
        frozen = [weight for pattern in what for weight in _matched(pattern, named)]
    for weight in frozen:
        weight.requires_grad_(False)
    if not any(weight.requires_grad for _, weight in named):
        raise ConfigError("freeze.all", field="freeze")


def _encoder(model: Any, task: str) -> set[str]:
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    if task != "text2text-generation":
        return {name for name in names if in_body(model, name)}
    encoder = model.get_encoder()
    prefix = next(name for name, module in model.named_modules() if module is encoder)
    return {name for name in names if name.startswith(f"{prefix}.")}


def _matched(pattern: str, named: list[tuple[str, Any]]) -> list[Any]:
    found = [weight for name, weight in named if fnmatchcase(name, pattern)]
    if not found:
        names = [name for name, _ in named]
        near = get_close_matches(pattern, names, n=1, cutoff=0) or names[:1]
        raise ConfigError("freeze.no-match", field="freeze", pattern=pattern, example=near[0])
    return found
