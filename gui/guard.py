"""Lets nobody in without the login, but to the page that asks for it.

Gradio guards most of its routes and leaves some open (`queue` cancels, heartbeats, streams, the run history, the
editor). Here it is the other way round: a request without the login reaches what is listed, and nothing else.
"""

from __future__ import annotations

from starlette._utils import get_route_path
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gui.classroom.bounds import Rate
from gui.files import AT, PLOTLY

LOGIN = "/login"
OPEN = frozenset(
    {"/", "/theme.css", "/gradio_api/theme.css", "/favicon.ico", "/robots.txt", "/manifest.json", "/pwa_icon"}
)
OPEN_FOLDERS = ("/assets/", "/static/", f"/{AT}/", f"/{PLOTLY}")
READING = frozenset({"GET", "HEAD"})
STARTS = "/gradio_api/startup-events"
"""Asked for by Gradio itself as it starts, once."""


def may_enter(request: Request) -> bool:
    """Whether the request carries the login that the page asks for; without a password anyone may."""
    app = request.app
    if app.auth is None and app.auth_dependency is None:
        return True
    names = (f"access-token-{app.cookie_id}", f"access-token-unsecure-{app.cookie_id}")
    return any(app.tokens.get(request.cookies.get(name)) is not None for name in names)


class Guard:
    """Answers 401 to who has no login, and 429 to who tries passwords one after another."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tries = Rate(burst=10, second=0.1)
        self._all_tries = Rate(burst=60, second=1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # the page has none
        else:
            status = self._status(Request(scope))
            await (PlainTextResponse("", status) if status else self._app)(scope, receive, send)

    def _status(self, request: Request) -> int:
        path, method = get_route_path(request.scope), request.method
        if path.rstrip("/") == LOGIN and method == "POST":
            address = request.client.host if request.client else "?"
            return 0 if self._all_tries.allows("") and self._tries.allows(address) else 429
        if may_enter(request):
            return 0
        if method in READING and (path in OPEN or path.startswith(OPEN_FOLDERS)):
            return 0
        return 0 if path == STARTS and not request.app.startup_events_triggered else 401
