"""The sweep in the Explore tab: many runs of one config, each with other values of a few settings."""

from __future__ import annotations

from typing import Any

from engine import RunConfig
from gui.answers import ServerFunction
from gui.plans import settings_of
from gui.scripted import scripted


class SweepPanel:
    """Lays out the view. It varies the settings of the Train tab: there is no second form of them."""

    def __init__(self, functions: list[ServerFunction]) -> None:
        self.settings = scripted(
            "sweep-settings",
            "settings",
            "mount(element, props, watch, 'sweep')",
            value=self.opening(RunConfig.default())["sweep-settings"],
        )
        """What the settings are that a sweep begins from, or why they are none."""
        self.view = scripted("sweep", "sweep", "mount(element, server, props, trigger)", functions, value={})
        """Where the settings of the best trial are taken over into the form: `{use: config}`."""

    def opening(self, config: RunConfig) -> dict[str, Any]:
        """What the view shows of `config` as a page opens, by element id."""
        return {"sweep-settings": settings_of(config)}
