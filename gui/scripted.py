"""Components whose inside our own scripts build."""

from __future__ import annotations

from typing import Any

import gradio as gr

from gui.answers import ServerFunction
from gui.files import AT


def scripted(
    elem_id: str, script: str, call: str, functions: list[ServerFunction] | None = None, value: Any = None
) -> gr.HTML:
    """An element that `call`, an export of `assets/script.js`, fills.

    In `call`: `element`, `server` (with `functions` as its methods), `props` with the `value`, `watch` for changes
    of it from the server, and `trigger` for events to the server.
    """
    return _html(elem_id, "<div></div>", script, call, server_functions=functions, value=value)


def spoken(elem_id: str, role: str, value: dict[str, Any] | None = None) -> gr.HTML:
    """An element whose value is phrases or a fault; the browser speaks them in its language.

    What is said as an `alert` goes away by itself once it is no longer so.

    The value is `{"phrases": lines of phrases, "tone": …}` or `{"fault": …, "field": element id, "tone": …}`; phrases
    beside a fault stand before it.
    """
    call = f"{'answer' if role == 'alert' else 'speak'}(element.firstElementChild, props, watch)"
    return _html(elem_id, f'<div class="spoken" role="{role}"></div>', "form", call, value=value or {})


def module(script: str) -> str:
    """JavaScript that resolves to the exports of `assets/script.js`, from wherever the page is served."""
    return f"import(new URL('{AT}/{script}.js', document.baseURI))"


def _html(elem_id: str, template: str, script: str, call: str, **options: Any) -> gr.HTML:
    return gr.HTML(
        elem_id=elem_id,
        html_template=template,
        apply_default_css=False,
        js_on_load=f"{module(script)}.then((module) => module.{call});",
        **options,
    )
