"""What is asked of the program where someone tries a trained model."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from engine import AttemptRequest, Session
from gui.answers import Asked, ServerFunction, answer


def server_functions(session: Session) -> list[ServerFunction]:
    def tryable(request: Any) -> Response:
        """`{run}` → as `Session.tryable`."""
        return answer(lambda: session.tryable(Asked(request).run()).to_dict())

    def attempt(request: Any) -> Response:
        """`{run, request}` → as `Session.attempt`; `request` as `AttemptRequest`."""
        return answer(lambda: _attempt(session, Asked(request)))

    return [tryable, attempt]


def _attempt(session: Session, asked: Asked) -> dict[str, Any]:
    return session.attempt(asked.run(), AttemptRequest.from_dict(asked.plain("request")))
