"""What a model's name means: built in, a folder, or an id on the Hub."""

from __future__ import annotations

from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from engine import hub
from engine.errors import ConfigError
from engine.models.built_in import BUILT_IN


class Kind(Enum):
    BUILT_IN = "built-in"
    FOLDER = "folder"
    HUB = "hub"


def kind_of(name: str) -> Kind:
    """A folder that is there wins over a Hub id of the same spelling.

    Raises ConfigError for what can be none of them, and for a near miss of a built-in name.
    """
    if name in BUILT_IN:
        return Kind.BUILT_IN
    try:
        path = Path(name).expanduser()
        folder, file = path.is_dir(), path.is_file()
    except (OSError, RuntimeError, ValueError):
        raise ConfigError("model.no-folder", field="model", name=name, known=", ".join(BUILT_IN)) from None
    if folder:
        return Kind.FOLDER
    if file:
        raise ConfigError("model.not-a-folder", field="model", name=name)
    if name.startswith((".", "/", "~")) or not hub.is_id(name):
        raise ConfigError("model.no-folder", field="model", name=name, known=", ".join(BUILT_IN))
    # The Hub gives out no names without an owner any more, so these are slips, not ids.
    near = get_close_matches(name.lower(), BUILT_IN, n=1, cutoff=0.75)
    if near and "/" not in name:
        raise ConfigError("model.misspelt", field="model", name=name, suggestion=near[0])
    return Kind.HUB
