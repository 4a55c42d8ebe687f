"""A browser that goes away amid what it sends is no fault of the program, and none is told."""

from __future__ import annotations

from contextlib import suppress

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send


class MayGoAway:
    """Ends quietly what was asked by a browser that is gone before it has said all, as in a cancelled upload."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await self._app(scope, receive, send)
