"""The students' door: a page that watches, its news, its files, and a place to leave a wish. It has no other route.

Nothing here can command a run: the process that serves it has the store open for reading alone, and a wish is a line to
the teacher's program, which checks it anew.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Receive, Scope, Send

from gui.classroom.bounds import Rate, Unfit, sent
from gui.classroom.page import files
from gui.classroom.preset import Refused, Wish
from gui.classroom.shared import Frame, Frames

COOKIE = "birikim-head"
TOKEN = re.compile(r"[\w-]{32}", re.ASCII)
LONGEST = 1024
"""Bytes of what may be sent."""
PATIENCE = 5.0
"""Seconds in which it must have arrived."""
PRESENT = 6.0
"""Seconds for which who has asked counts as watching."""
MOST_HEADS = 2000

POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "data:", "blob:"],
    "connect-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
}
SAFE = [
    (b"content-security-policy", "; ".join(" ".join([what, *whence]) for what, whence in POLICY.items()).encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
JSON = "application/json"


class Door:
    """The application. `wish` hears of each wish, with the head and the address that it comes from."""

    def __init__(self, frames: Frames, wish: Callable[[Wish, str, str], None]) -> None:
        self.frames = frames
        self.experiments: dict[str, list[dict[str, Any]]] = {}
        """Of each head what has become of its wishes, newest last, as the teacher's program tells."""
        self._wish = wish
        self._files = files()
        self._present: OrderedDict[str, float] = OrderedDict()
        self._requests = Rate(burst=4000, second=300)
        self._news = Rate(burst=20, second=4)
        self._seen = Rate(burst=20, second=4)
        self._wishes = Rate(burst=5, second=0.2)
        self._all_wishes = Rate(burst=60, second=2)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        try:
            address = (scope.get("client") or ("?",))[0]
            if not self._requests.allows(address):
                raise Unfit(429)
            match scope["path"], scope["method"]:
                case "/deltas", "POST":
                    await self._deltas(headers, address, await _sent(headers, receive), send)
                case "/watched", "POST":
                    await self._watched(headers, address, await _sent(headers, receive), send)
                case "/experiment", "POST":
                    await self._experiment(headers, address, await _sent(headers, receive), send)
                case "/deltas" | "/watched" | "/experiment", _:
                    raise Unfit(405)
                case path, "GET" | "HEAD" if path in self._files:
                    await self._file(path, headers, scope["method"], send)
                case path, _:
                    raise Unfit(405 if path in self._files else 404)
        except Unfit as unfit:
            await _answer(send, unfit.status, b"", "text/plain")

    def watching(self) -> int:
        """How many look at the page now."""
        since = time.monotonic() - PRESENT
        while self._present and next(iter(self._present.values())) < since:
            self._present.popitem(last=False)
        return len(self._present)

    async def _file(self, path: str, headers: Headers, method: str, send: Send) -> None:
        file = self._files[path]
        more = [(b"cache-control", file.kept.encode()), (b"vary", b"accept-encoding")]
        if path == "/" and not _token(headers):
            cookie = f"{COOKIE}={secrets.token_urlsafe(24)}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict"
            more.append((b"set-cookie", cookie.encode()))
        packs = "gzip" in headers.get("accept-encoding", "")
        if packs:
            more.append((b"content-encoding", b"gzip"))
        body = file.packed if packs else file.plain
        await _answer(send, 200, body, file.kind, more, empty=method == "HEAD")

    async def _deltas(self, headers: Headers, address: str, asked: dict[str, Any], send: Send) -> None:
        head = _head(_token(headers))
        self._note(head or address)
        if not self._news.allows(head or address):
            raise Unfit(429)
        cursor = asked.get("cursor")
        cursor = cursor if isinstance(cursor, str) else ""
        frame = await self.frames.frame(self._visible(head, asked), cursor, _number(asked.get("tick")))
        if own := self.experiments.get(head, []):
            frame = Frame(frame.plain[:-1] + b',"own":' + orjson.dumps(own) + b"}", None)
        await _news(headers, frame, send)

    async def _watched(self, headers: Headers, address: str, asked: dict[str, Any], send: Send) -> None:
        head = _head(_token(headers))
        if not self._seen.allows(head or address):
            raise Unfit(429)
        run = self._visible(head, asked)
        run = await self.frames.shown() if run is None else run
        if run is None or run != _number(asked.get("run")):
            raise Unfit(404)
        await _news(headers, await self.frames.watched(run, _number(asked.get("after")) or 0), send)

    def _visible(self, head: str, asked: dict[str, Any]) -> int | None:
        """The run that is asked for where it is one of the head's own; None is the one that all may see."""
        wanted = _number(asked.get("run"))
        own = [each["run"] for each in self.experiments.get(head, []) if each["run"] is not None]
        return wanted if wanted in own else None

    async def _experiment(self, headers: Headers, address: str, asked: dict[str, Any], send: Send) -> None:
        head = _head(_token(headers))
        try:
            if not self.frames.allowed:
                raise Refused("class.refused.closed")
            if not head:
                raise Refused("class.refused.head")
            if not self._wishes.allows(head) or not self._all_wishes.allows(address):
                raise Refused("class.refused.often")
            self._wish(Wish.of(asked), head, address)
            status, said = 202, b"{}"
        except Refused as refused:
            fault = {"code": refused.name, "values": refused.values}
            status, said = 403, orjson.dumps({"fault": fault})
        await _answer(send, status, said, JSON, [(b"cache-control", b"no-store")])

    def _note(self, viewer: str) -> None:
        self._present[viewer] = time.monotonic()
        self._present.move_to_end(viewer)
        if len(self._present) > MOST_HEADS:
            self._present.popitem(last=False)


def _token(headers: Headers) -> str:
    token = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    return token if TOKEN.fullmatch(token) else ""


def _head(token: str) -> str:
    """By what a head is known outside its own browser; no one can ask in its name who knows that alone."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


async def _sent(headers: Headers, receive: Receive) -> dict[str, Any]:
    """The JSON object that was sent. Raises Unfit: too long, too slow, or something else."""
    if headers.get("content-type", "").partition(";")[0].strip() != JSON:
        raise Unfit(415)
    try:
        asked = orjson.loads(await sent(receive, longest=LONGEST, patience=PATIENCE))
    except orjson.JSONDecodeError:
        raise Unfit(400) from None
    if not isinstance(asked, dict):
        raise Unfit(400)
    return asked


async def _news(headers: Headers, frame: Frame, send: Send) -> None:
    more = [(b"cache-control", b"no-store")]
    body = frame.plain
    if frame.packed and "gzip" in headers.get("accept-encoding", ""):
        body = frame.packed
        more.append((b"content-encoding", b"gzip"))
    await _answer(send, 200, body, JSON, more)


async def _answer(
    send: Send,
    status: int,
    body: bytes,
    kind: str,
    more: Iterable[tuple[bytes, bytes]] = (),
    *,
    empty: bool = False,
) -> None:
    length = str(len(body)).encode()
    headers = [(b"content-type", kind.encode()), (b"content-length", length), *SAFE, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if empty else body})
