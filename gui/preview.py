"""What the form asks the program about data: a preview of it, and to take a file that was uploaded."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import RunConfig, Session
from gui.answers import Asked, ServerFunction, answer
from gui.faults import own_fault
from gui.uploads import MOST_BYTES, NotTaken, Uploads

Answer = dict[str, Any]


def server_functions(session: Session, uploads: Uploads, *, local: bool) -> tuple[ServerFunction, ServerFunction]:
    """`preview` and `take`. `local`: the page is for this machine alone, whose own files may be shown on it."""

    def preview(request: Any) -> Response:
        """`{config}` → as `Session.preview`."""
        return answer(lambda: _preview(session, uploads, RunConfig.from_dict(Asked(request).plain("config")), local))

    def take(request: Any) -> Response:
        """`{arrived, name}` → `{path}`: the file is in the home folder's `uploads` from now on."""
        return answer(lambda: _take(uploads, Asked(request)))

    return preview, take


def for_page() -> dict[str, Any]:
    """What the page knows of uploads."""
    return {"most_bytes": MOST_BYTES}


def _preview(session: Session, uploads: Uploads, config: RunConfig, local: bool) -> Answer:
    paths = [path for path in (config.data.path, config.data.validation) if path is not None]
    if not local and not all(map(uploads.holds, paths)):
        return {"state": "failed", **own_fault("preview.elsewhere", "data.path")}
    return session.preview(config)


def _take(uploads: Uploads, asked: Asked) -> Answer:
    try:
        return {"path": str(uploads.take(asked.text("arrived"), asked.text("name")))}
    except NotTaken as refused:
        return {"fault": refused.fault}
