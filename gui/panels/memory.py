"""The Memory tab: what a window takes at its peak, what fits, and what was measured."""

from __future__ import annotations

from typing import Any

from engine import RunConfig
from gui.answers import ServerFunction
from gui.plans import settings_of
from gui.scripted import scripted


class MemoryPanel:
    """Lays out the tab. It reckons with the settings of the Train tab: there is no second form of them."""

    def __init__(self, functions: list[ServerFunction]) -> None:
        self.settings = scripted(
            "memory-settings",
            "settings",
            "mount(element, props, watch, 'memory')",
            value=self.opening(RunConfig.default())["memory-settings"],
        )
        """What the settings mean for a window, or why they are none."""
        self.view = scripted("memory", "memory", "mount(element, server, props, trigger)", functions, value={})
        """Where a choice is taken over into the form: `{use: config}`."""

    def opening(self, config: RunConfig) -> dict[str, Any]:
        """What the tab shows of `config` as a page opens, by element id."""
        return {"memory-settings": settings_of(config)}
