"""The Explore tab: runs side by side, and many runs at once. A switch shows one of the two."""

from __future__ import annotations

import gradio as gr

from gui.answers import ServerFunction
from gui.scripted import scripted


def lay(comparing: list[ServerFunction]) -> None:
    """Lays the switch and what it switches between; `assets/explore.js` hides the other one."""
    scripted("explore", "explore", "mount(element)")
    scripted("compare", "compare", "mount(element, server)", comparing)
    gr.HTML(elem_id="sweep", html_template="<div></div>", apply_default_css=False)
