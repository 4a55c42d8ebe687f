"""The words of the Explore tab in Turkish: names and values as in `gui.text.english_explore`."""

from __future__ import annotations

from gui.text.turkish_compare import COMPARE

EXPLORE: dict[str, str] = {
    "tab.explore": "Keşif",
    "explore.compare": "Karşılaştır",
    "explore.sweep": "Tara",
    **COMPARE,
}
