"""Keeps other pages of the same browser away from the program.

Any page may send requests to this machine. One that acts (a POST) must come from our own page; and where the program
listens to this machine alone, any request must name it as such, or a foreign name that leads here could read it all.
"""

from __future__ import annotations

import ipaddress

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from engine import TURKISH, WORDING

READING = frozenset({"GET", "HEAD", "OPTIONS"})
OTHER_NAME, OTHER_PAGE = "page.other-name", "page.other-page"
"""Why a request is refused, by code."""


class OwnPage:
    """Refuses with 403 what a page of another origin asks for. `local`: the program listens to this machine alone."""

    def __init__(self, app: ASGIApp, local: bool) -> None:
        self._app = app
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reason = "" if scope["type"] != "http" else self._reason(scope["method"], Headers(scope=scope))
        if reason:
            wording = TURKISH.wording if Headers(scope=scope).get("accept-language", "").startswith("tr") else WORDING
            await PlainTextResponse(" ".join(wording[reason]).strip(), 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _reason(self, method: str, headers: Headers) -> str:
        host = headers.get("host", "")
        if self._local and not names_this_machine(host):
            return OTHER_NAME
        if method in READING:
            return ""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        # a browser always sends one of the two with a POST; a program that sends none is no page
        if site is not None:
            return "" if site in ("same-origin", "none") else OTHER_PAGE
        return OTHER_PAGE if origin is not None and origin.partition("://")[2] != host else ""


def names_this_machine(host: str) -> bool:
    """Whether a Host header, with or without a port, is `localhost` or a loopback address."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.rstrip(".").lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
