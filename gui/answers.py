"""Server functions: how they take what is asked apart, and how they answer.

Anyone who may see the page may call them with any argument, so each takes its argument apart with care, and answers a
fault in words where others would raise. They answer JSON text, since the page's client would walk through every number
of an object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from fastapi import Response

from engine import StoreError
from engine.store.keeping import plain
from gui.faults import fault_of

ServerFunction = Callable[[Any], Response]


class Asked:
    """The argument of a call, whatever it is; its texts are ones that can be written anywhere."""

    def __init__(self, request: Any) -> None:
        self._fields: Mapping[str, Any] = _plain(request) if isinstance(request, dict) else {}

    def number(self, name: str) -> int | None:
        value = self._fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None

    def run(self) -> int:
        """The number of the run that is asked about. Raises StoreError: none is named."""
        run = self.number("run")
        if run is None:
            raise StoreError("store.which-run")
        return run

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        return value if isinstance(value, str) and len(value) < 4096 else ""

    def yes(self, name: str) -> bool:
        return self._fields.get(name) is True

    def plain(self, name: str) -> Any:
        """Whatever was sent, for what takes it apart itself."""
        return self._fields.get(name)


def _plain(value: Any) -> Any:
    """The same without lone surrogates, which no database, file, or answer takes."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {_plain(name): _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def answer(work: Callable[[], dict[str, Any]]) -> Response:
    """What `work` returns, or `{fault}`."""
    try:
        found = orjson.dumps(work())
    except Exception as error:
        found = orjson.dumps({"fault": fault_of(error)})
    return Response(orjson.dumps(found.decode()), media_type="application/json")
