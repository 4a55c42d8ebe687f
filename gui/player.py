"""What the player asks the program for: what of a run was watched, micro-batch by micro-batch."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import Store
from gui.answers import Asked, ServerFunction, answer
from gui.frames import watched_of


def server_functions(store: Store) -> list[ServerFunction]:
    def watched(request: Any) -> Response:
        """`{run, after}` → what `Store.watched` gives, and `told`: the losses and weights of its windows."""
        return answer(lambda: _watched(store, Asked(request)))

    return [watched]


def _watched(store: Store, asked: Asked) -> dict[str, Any]:
    return watched_of(store, asked.run(), asked.number("after") or 0)
