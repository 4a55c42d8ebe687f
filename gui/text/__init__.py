"""All wording of the page. Python and JavaScript speak from the same tables; the browser picks the language."""

from __future__ import annotations

from typing import Any

import gradio as gr

from gui.text.english import ENGLISH
from gui.text.turkish import TURKISH

TABLES: dict[str, dict[str, str]] = {"en": ENGLISH, "tr": TURKISH}

translations = gr.I18n(**TABLES)
"""For `Blocks.launch`: how Gradio's own components look `word`s up."""


def word(name: str) -> Any:
    """The text called `name`, for a label of a Gradio component: looked up in the browser."""
    if name not in ENGLISH:
        raise KeyError(name)
    return translations(name)


__all__ = ["ENGLISH", "TABLES", "translations", "word"]
