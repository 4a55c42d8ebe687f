"""How much one who may be anyone may ask for and send."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict

from starlette.types import Message, Receive

MOST_KEPT = 2000
"""Askers that are remembered; who has long been silent is forgotten first."""


class Rate:
    """At most `burst` at once and `second` a second later on, of each asker."""

    def __init__(self, *, burst: float, second: float) -> None:
        self._burst = burst
        self._second = second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, asker: str) -> bool:
        now = time.monotonic()
        left, at = self._left.pop(asker, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._second)
        allowed = left >= 1
        self._left[asker] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KEPT:
            self._left.popitem(last=False)
        return allowed


class Unfit(Exception):
    """A request that is not answered, by its status."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(status)


async def sent(receive: Receive, *, longest: int, patience: float) -> bytes:
    """The body of a request. Raises Unfit: more than `longest` bytes, or not there after `patience` seconds."""
    try:
        return await asyncio.wait_for(_body(receive, longest), patience)
    except TimeoutError:
        raise Unfit(408) from None


async def _body(receive: Receive, longest: int) -> bytes:
    body = bytearray()
    while True:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise Unfit(400)
        body += message.get("body", b"")
        if len(body) > longest:
            raise Unfit(413)
        if not message.get("more_body"):
            return bytes(body)
