"""accelerate keeps one state for a whole process (device, precision): a trainer that is only imagined has its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from accelerate.state import AcceleratorState, GradientState, PartialState

SHARED: tuple[Any, ...] = (PartialState, AcceleratorState, GradientState)


class OwnState:
    """What stands in for the process's state while it is entered; at first it is empty."""

    def __init__(self) -> None:
        self._own: list[dict[str, Any]] = [{} for _ in SHARED]

    @contextmanager
    def entered(self) -> Iterator[None]:
        outside = [dict(kind._shared_state) for kind in SHARED]
        _put(self._own)
        try:
            yield
        finally:
            self._own = [dict(kind._shared_state) for kind in SHARED]
            _put(outside)


def _put(states: list[dict[str, Any]]) -> None:
    for kind, state in zip(SHARED, states, strict=True):
        # the dictionary itself is what instances hold on to
        kind._shared_state.clear()
        kind._shared_state.update(state)
