"""The Explore tab: runs side by side, and many runs at once. A switch shows one of the two."""

from __future__ import annotations

from gui.answers import ServerFunction
from gui.panels.sweep import SweepPanel
from gui.scripted import scripted


def lay(comparing: list[ServerFunction], sweeping: list[ServerFunction]) -> SweepPanel:
    """Lays the switch and what it switches between; `assets/explore.js` hides the other one."""
    scripted("explore", "explore", "mount(element)")
    scripted("compare", "compare", "mount(element, server)", comparing)
    return SweepPanel(sweeping)
