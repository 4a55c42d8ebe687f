"""The words of the Explore tab in English, a part of `gui.text.english`."""

from __future__ import annotations

EXPLORE: dict[str, str] = {
    "tab.explore": "Explore",
    "explore.compare": "Compare",
    "explore.sweep": "Sweep",
}
