"""The connections of a server that anyone may reach: who says nothing loses his, and who holds most of them gives way.

Else one who opens a few hundred and is silent would keep everybody out, and open files are those of the training too.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

log = logging.getLogger(__name__)
log.setLevel(logging.ERROR)  # what is no request is told to who sends it alone, and not line by line on our console

MOST = 400
"""Connections at once."""

PATIENCE = 30.0
"""Seconds in which a request must begin, with all its headers, since the connection was made or the last answer."""


class Fair(H11Protocol):
    """One connection. No page of ours has a websocket: one that is asked for is answered as any other request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.logger = log
        self._since = self.loop.time()
        self._silent = self.loop.call_later(PATIENCE, transport.abort)
        if len(self.connections) > MOST:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._silent.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self._busy:
            self._silent.cancel()

    def on_response_complete(self) -> None:
        self._silent.cancel()
        self._silent = self.loop.call_later(PATIENCE, self.transport.abort)
        super().on_response_complete()

    @property
    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else "?"

    def _should_upgrade(self) -> bool:
        return False

    def _make_room(self) -> None:
        """Ends a connection of the address that has most of them: one that asks for nothing first, then the oldest."""
        here: set[Any] = self.connections
        fair = [each for each in here if isinstance(each, Fair)]
        [(address, _)] = Counter(each._address for each in fair).most_common(1)
        gives_way = min((each for each in fair if each._address == address), key=lambda each: (each._busy, each._since))
        self.connections.discard(gives_way)
        gives_way.transport.abort()
