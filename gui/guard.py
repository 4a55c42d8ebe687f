"""Lets nobody in without the login, but to the page that asks for it.

Gradio guards most of its routes and leaves some open (`queue` cancels, heartbeats, streams, the run history, the
editor). Here it is the other way round: a request without the login reaches what is listed, and nothing else.
"""

from __future__ import annotations

from starlette._utils import get_route_path
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gui.classroom.bounds import Rate, Unfit, sent
from gui.files import AT, PLOTLY

LOGIN = "/login"
LONGEST = 4096
"""Bytes of a name and a password."""
PATIENCE = 5.0
"""Seconds in which they must have arrived."""
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
    """Answers 401 to who has no login, and 429 to who asks very often without it or tries many passwords.

    Who tries too many at one address takes nothing from those who come from another.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tries = Rate(burst=10, second=0.1)
        self._all_tries = Rate(burst=60, second=1)
        self._strangers = Rate(burst=600, second=20)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # the page has none
        else:
            request = Request(scope)
            status = self._status(request)
            if not status and _logs_in(request):
                try:
                    receive = _again(await sent(receive, longest=LONGEST, patience=PATIENCE), receive)
                except Unfit as unfit:
                    status = unfit.status
            refusal = PlainTextResponse("", status, headers={"connection": "close"})
            await (refusal if status else self._app)(scope, receive, send)

    def _status(self, request: Request) -> int:
        path, method = get_route_path(request.scope), request.method
        address = request.client.host if request.client else "?"
        if _logs_in(request):
            return 0 if self._tries.allows(address) and self._all_tries.allows("") else 429
        if may_enter(request):
            return 0
        if not self._strangers.allows(address):
            return 429
        if method in READING and (path in OPEN or path.startswith(OPEN_FOLDERS)):
            return 0
        return 0 if path == STARTS and not request.app.startup_events_triggered else 401


def _logs_in(request: Request) -> bool:
    return request.method == "POST" and get_route_path(request.scope).rstrip("/") == LOGIN


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives `body` once, and then what `receive` does."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_one() -> Message:
        return left.pop() if left else await receive()

    return next_one
