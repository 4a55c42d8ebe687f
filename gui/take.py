"""What the page asks for to take a run away: an export, once it is written, as a file to download."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from fastapi import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import Route

from engine import EXPORTS, BirikimError, Store, Takeaways, launch_line
from gui.answers import Asked, ServerFunction, answer
from gui.guard import may_enter

Answer = dict[str, Any]

PLACE = "birikim-take"
"""Where the files are fetched: `PLACE/run/kind`."""


def server_functions(store: Store, takeaways: Takeaways) -> list[ServerFunction]:
    def take(request: Any) -> Response:
        """`{run, kind, language}` → as `Takeaways.ask`, and of what is done the `address`."""
        return answer(lambda: _take(takeaways, Asked(request)))

    def launching(request: Any) -> Response:
        """`{run}` → `{line}`: the accelerate launch line of its script."""
        return answer(lambda: {"line": launch_line(store.run(Asked(request).number("run") or 0))})

    return [take, launching]


def routes(takeaways: Takeaways) -> list[Route]:
    """The files that were asked for and are written, for whoever may see the page."""

    async def fetch(request: Request) -> Response:
        if not may_enter(request):
            return PlainTextResponse("", 401)
        run, kind, language = request.path_params["run"], request.path_params["kind"], request.query_params.get("in")
        if kind not in EXPORTS or run >= 2**53:
            return PlainTextResponse("", 404)
        try:
            path = await run_in_threadpool(takeaways.file, run, kind, _language(language))
        except BirikimError:
            path = None
        if path is None:
            return PlainTextResponse("", 404)
        # as bytes whatever it is: a report must neither be shown in our page's place nor be given our page's head
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return FileResponse(path, filename=path.name, media_type="application/octet-stream", headers=headers)

    return [Route(f"/{PLACE}/{{run:int}}/{{kind}}", fetch)]


def _take(takeaways: Takeaways, asked: Asked) -> Answer:
    run, kind, language = asked.run(), asked.text("kind"), _language(asked.text("language"))
    found = takeaways.ask(run, kind, language)
    return {**found, "address": f"{PLACE}/{run}/{quote(kind)}?in={language}"} if found["state"] == "done" else found


def _language(name: str | None) -> Literal["en", "tr"]:
    return "tr" if name == "tr" else "en"
