"""The settings as the user wrote them: in the form or in its YAML, whichever was written last."""

from __future__ import annotations

from typing import Any

from engine import RunConfig
from gui import form
from gui.faults import Fault, fault_of, own_fault

Pane = dict[str, Any]
"""The value of the YAML pane: its `text`, and `of` as `assets/yaml.js` says."""

QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""Of every cheap handler: beside the queue, so that no spinner shows and nothing waits for a slot."""

WHERE_WRITTEN = "(_, ...values) => [document.getElementById('form').dataset.wrote ?? 'form', ...values]"
"""Kept in the browser, and not in a value of the form: no request can come too late there."""


def config_of(wrote: str, pane: Pane, values: tuple[Any, ...]) -> RunConfig:
    """The config that Start would run: the YAML where that was written last, else the form over what the YAML says.

    Emptied, the YAML says nothing, and the form all.

    Raises ConfigError or EmptyField.
    """
    text = text_of(pane)
    emptied = not text.strip()
    config = RunConfig.default() if emptied else RunConfig.from_yaml(text)
    if wrote == "yaml" and not emptied:
        return config
    shown = dict(zip((field.name for field in form.FIELDS), values, strict=True))
    return RunConfig.from_dict(form.merge(shown, config.to_dict()))


def _fault(error: Exception) -> Fault:
    if isinstance(error, form.EmptyField):
        return own_fault("message.empty", field=error.field.place, example=error.field.example)
    return fault_of(error)


def text_of(pane: Pane) -> str:
    return str(pane.get("text", "")) if isinstance(pane, dict) else ""


def refusal(error: Exception, tone: str) -> dict[str, Any]:
    """What the page says of a fault in the settings, and the element of the field that it is about."""
    fault = _fault(error)
    in_text = fault["code"].startswith("config.") and not fault["field"]
    return {"fault": fault, "field": "yaml" if in_text else form.element_of(fault["field"]), "tone": tone}
