"""What is asked of the program where someone tries a trained model."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import AttemptRequest, Session, StoreError
from gui.answers import Asked, ServerFunction, answer


def server_functions(session: Session) -> list[ServerFunction]:
    def tryable(request: Any) -> Response:
        """`{run}` → as `Session.tryable`."""
        return answer(lambda: session.tryable(_run(Asked(request))).to_dict())

    def attempt(request: Any) -> Response:
        """`{run, request}` → as `Session.attempt`; `request` as `AttemptRequest`."""
        return answer(lambda: _attempt(session, Asked(request)))

    return [tryable, attempt]


def _attempt(session: Session, asked: Asked) -> dict[str, Any]:
    return session.attempt(_run(asked), AttemptRequest.from_dict(asked.plain("request")))


def _run(asked: Asked) -> int:
    run = asked.number("run")
    if run is None:
        raise StoreError("store.no-run", run=None)
    return run
