"""The settings that a link carries: checked as those that are written in the YAML pane, and whole or not at all.

A link comes from anyone. What it says is shown in the form, and started by nobody but who looks at it.
"""

from __future__ import annotations

from typing import Any

from engine import RunConfig, check
from gui.arithmetic import phrase
from gui.faults import own_fault
from gui.written import refusal


class NotLinked(Exception):
    """The settings were refused; `said` is what the page says of it."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said
        super().__init__(said["fault"]["code"])


def linked(text: Any) -> tuple[RunConfig, dict[str, Any]]:
    """The config in the YAML `text` of a link, and what is said of it. Raises NotLinked alone."""
    if not isinstance(text, str) or not text.strip():
        raise NotLinked({"fault": own_fault("link.unreadable"), "tone": "bad"})
    try:
        config = RunConfig.from_yaml(text)
        check(config)
    except Exception as error:
        # no field is marked: none shows what was refused
        refused = {**refusal(error, "bad"), "field": None}
        raise NotLinked({**refused, "phrases": [[phrase("link.refused")]]}) from None
    return config, {"phrases": [[phrase("link.taken")]], "tone": "plain"}
