"""The background thread that trains, and the commands that reach it."""

from engine.session.session import Session

__all__ = ["Session"]
