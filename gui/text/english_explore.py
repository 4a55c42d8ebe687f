"""The words of the Explore tab in English, a part of `gui.text.english`."""

from __future__ import annotations

from gui.text.english_compare import COMPARE

EXPLORE: dict[str, str] = {
    "tab.explore": "Explore",
    "explore.compare": "Compare",
    "explore.sweep": "Sweep",
    **COMPARE,
}
