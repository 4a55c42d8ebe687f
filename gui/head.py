"""Puts our part of the page's head into the page itself, and has the page's settings renewed before it is made.

Gradio adds a `head` by script, after its own have loaded: too late for a theme that must not flash, and for files that
could be fetched meanwhile. Its scripts are modules, which wait for the end of the page: what stands here runs first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLOSING = b"</head>"

log = logging.getLogger("birikim.gui")


class HeadFirst:
    """Adds `head` to the head of each HTML page, and leaves every other answer alone.

    `renew` is called before a page is made; its failure costs the page nothing but that.
    """

    def __init__(self, app: ASGIApp, head: str, renew: Callable[[], None]) -> None:
        self._app = app
        self._head = head.encode()
        self._renew = renew

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        if "text/html" in Headers(scope=scope).get("accept", ""):
            try:
                await run_in_threadpool(self._renew)
            except Exception:
                log.exception("the page opens with older settings")
        opening: Message | None = None
        page = bytearray()

        async def add(message: Message) -> None:
            nonlocal opening
            if message["type"] == "http.response.start" and _is_page(message):
                opening = message
            elif opening is None:
                await send(message)
            else:
                page.extend(message.get("body", b""))
                if not message.get("more_body"):
                    body = bytes(page).replace(CLOSING, self._head + CLOSING, 1)
                    MutableHeaders(scope=opening)["Content-Length"] = str(len(body))
                    await send(opening)
                    await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, add)


def _is_page(message: Message) -> bool:
    return MutableHeaders(scope=message).get("Content-Type", "").startswith("text/html")
