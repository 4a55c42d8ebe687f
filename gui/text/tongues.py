"""The engine's words in the languages of the page that are not its own."""

from __future__ import annotations

from typing import Any

from engine import TURKISH, Language


def tongues() -> dict[str, dict[str, Any]]:
    """What `assets/tongue.js` needs to tell the engine's words, by language."""
    return {"tr": _tongue(TURKISH)}


def _tongue(language: Language) -> dict[str, Any]:
    """In a script, braces are never doubled."""
    words = {
        code: [text.replace("{{", "{").replace("}}", "}") for text in wording]
        for code, wording in language.wording.items()
    }
    return {
        "words": words,
        "phrases": language.phrases,
        "lists": sorted(language.lists),
        "either": language.either,
        "figures": sorted(language.figures),
        "separators": language.separators,
    }
