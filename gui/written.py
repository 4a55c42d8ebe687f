"""The settings as the user wrote them: in the form or in its YAML, whichever was written last."""

from __future__ import annotations

import json
from typing import Any

from engine import LESSON, SWEEP, ConfigError, RunConfig, Store
from gui import form
from gui.faults import Fault, fault_of, own_fault
from gui.scripted import module

Pane = dict[str, Any]
"""The value of the YAML pane: its `text`, and `of` as `assets/yaml.js` says."""

QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""Of every cheap handler: beside the queue, so that no spinner shows and nothing waits for a slot."""

WHERE_WRITTEN = """(_, ...values) => {
  const { wrote = "form", writes = 0 } = document.documentElement.dataset;
  return [`${wrote} ${writes}`, ...values];
}"""
"""Where the user wrote last, and the how manieth writing that was. Kept in the browser, and not in a value of the form:
no request can come too late there. It is on the root of the page, which is there before the form is."""
KEEP = (
    f"async (_, pane, ...values) => (await {module('edits')})"
    f".keep({json.dumps([field.name for field in form.FIELDS])}, pane, values)"
)
"""As `WHERE_WRITTEN`, and keeps in the browser what has been written, so that a reload loses nothing."""

IN_OTHER_LANGUAGE = (
    f"async (_, pane, ...values) => (await {module('edits')})"
    f".reload({json.dumps([field.name for field in form.FIELDS])}, pane, values)"
)
"""Keeps what has been written, and loads the page anew, in the language that was chosen."""


WITH_LINK = f"async (_, pane) => {{ await (await {module('link')}).copyLink(pane); }}"
"""Copies a link that opens what the page shows, with the settings that the YAML pane holds."""


def in_text(written: str) -> bool:
    """Whether the YAML was written last, by what `WHERE_WRITTEN` says."""
    return written.startswith("yaml")


def writing_of(written: str) -> int:
    """The how manieth writing it was."""
    writes = written.partition(" ")[2]
    return int(writes) if writes.isdecimal() else 0


def config_before(store: Store) -> RunConfig:
    """What a page opens with: the settings of the run under way, else of the newest one; never those of a lesson or a
    sweep's trial.

    The default where there is none, or where another version wrote settings that this one doesn't know.
    """
    run = store.current_run()
    if run and run.name.startswith((LESSON, SWEEP)):
        run = store.last_set_up()
    try:
        return RunConfig.from_dict(run.config) if run else RunConfig.default()
    except ConfigError:
        return RunConfig.default()


def config_of(written: str, pane: Pane, values: tuple[Any, ...]) -> RunConfig:
    """The config that Start would run: the YAML where that was written last, else the form over what the YAML says.

    Emptied, the YAML says nothing, and the form all.

    Raises ConfigError or EmptyField.
    """
    text = text_of(pane)
    emptied = not text.strip()
    config = RunConfig.default() if emptied else RunConfig.from_yaml(text)
    if in_text(written) and not emptied:
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
