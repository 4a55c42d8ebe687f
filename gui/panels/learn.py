"""The Learn tab: nine lessons, each a text, a question, and an experiment that answers it."""

from __future__ import annotations

from gui.answers import ServerFunction
from gui.scripted import scripted


class LearnPanel:
    """Lays out the tab, which the browser fills while it is open."""

    def __init__(self, functions: list[ServerFunction]) -> None:
        self.view = scripted("learn", "learn", "mount(element, server, props, trigger)", functions, value={})
        """Where the settings of an experiment's part are taken over into the form: `{use: config}`."""
