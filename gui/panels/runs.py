"""The Runs tab: what has been trained in this home folder."""

from __future__ import annotations

from gui.answers import ServerFunction
from gui.scripted import scripted


def lay(functions: list[ServerFunction]) -> None:
    """Lays the list of runs, which the browser fills while the tab is open."""
    scripted("runs", "runs", "mount(element, server)", functions)
