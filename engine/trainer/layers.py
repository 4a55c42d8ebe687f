"""The layers that parameters belong to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

MOST = 64
"""Layers that are told apart."""


def layer_of(name: str) -> str:
    """`bert.encoder.layer.3.output.dense.weight` → `bert.encoder.layer.3`; `classifier.weight` → `classifier`."""
    words = name.split(".")
    for place, word in enumerate(words):
        if word.isdigit():
            return ".".join(words[: place + 1])
    return ".".join(words[:-1]) or name


class Layers:
    """The layers of the parameters `names`, in the model's order; where there are more than `most`, neighbours joined.

    Joined ones bear the names of the first and the last: `h.0 … h.3`.
    """

    def __init__(self, names: Sequence[str], most: int = MOST) -> None:
        places: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            places.setdefault(layer_of(name), []).append(place)
        found = list(places.items())
        share = math.ceil(len(found) / most)
        self._groups: list[tuple[str, list[int]]] = []
        for _, group in groupby(enumerate(found), key=lambda each: each[0] // max(1, share)):
            joined = [layer for _, layer in group]
            name = joined[0][0] if len(joined) == 1 else f"{joined[0][0]} … {joined[-1][0]}"
            self._groups.append((name, [place for _, inside in joined for place in inside]))

    def norms(self, norms: Sequence[float]) -> list[dict[str, Any]]:
        """`name` and `norm` of each layer, from the norm of each parameter."""
        return [
            {"name": name, "norm": math.sqrt(sum(norms[place] ** 2 for place in places))}
            for name, places in self._groups
        ]
