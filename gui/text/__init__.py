"""All wording of the page. Python and JavaScript speak from the same tables; the browser picks the language."""

from __future__ import annotations

from functools import cache
from typing import Any

from gui.text.english import ENGLISH
from gui.text.turkish import TURKISH

TABLES: dict[str, dict[str, str]] = {"en": ENGLISH, "tr": TURKISH}


@cache
def translations() -> Any:
    """For `Blocks.launch`: how Gradio's own components look `word`s up. Who has no such page never loads Gradio."""
    import gradio as gr

    return gr.I18n(**TABLES)


def word(name: str) -> Any:
    """The text called `name`, for a label of a Gradio component: looked up in the browser."""
    if name not in ENGLISH:
        raise KeyError(name)
    return translations()(name)


__all__ = ["ENGLISH", "TABLES", "translations", "word"]
