"""Which of a model's weights stay as they are."""

from __future__ import annotations

from typing import Any

from engine.config.explain import raised
from engine.config.training import shown
from engine.errors import ConfigError

Freeze = str | list[str]
"""`encoder`, the pretrained body, so that the head alone is trained; or patterns over the names of parameters, such as
`bert.embeddings.*`."""

ENCODER = "encoder"


def checked_freeze(value: Any) -> Any:
    """`value` as it was written, for a pydantic validator."""
    patterns = isinstance(value, list) and value and all(isinstance(each, str) and each for each in value)
    if value is None or value == ENCODER or patterns:
        return value
    raise raised(ConfigError("config.freeze", field="freeze", value=shown(value)))
