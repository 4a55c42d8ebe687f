"""The models in the Hub's cache on this machine. Asks no network, and a broken cache is only a shorter list."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from engine import hub
from engine.models.known import class_for

MOST = 500


def cached_models(task: str | None = None) -> list[dict[str, Any]]:
    """`id` of each model with a config.json in the cache, in the order of the alphabet, and whether it `serves` the
    task: that transformers has a head for it; None without a task or a type."""
    from huggingface_hub import constants

    found = []
    root = Path(constants.HF_HUB_CACHE)
    try:
        names = sorted(entry.name for entry in os.scandir(root) if entry.name.startswith("models--"))
    except OSError:
        return []
    for name in names[:MOST]:
        kind = _type(root / name)
        identity = name.removeprefix("models--").replace("--", "/")
        if kind is not None and hub.is_id(identity):
            found.append({"id": identity, "serves": None if task is None else class_for(kind, task) is not None})
    return found


def _type(folder: Path) -> str | None:
    """The type of the model that the cache's folder holds; None where it is none, or broken."""
    try:
        revision = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        config = json.loads((folder / "snapshots" / revision / "config.json").read_text(encoding="utf-8"))
        kind = config.get("model_type")
    except (OSError, ValueError, AttributeError):
        return None
    return kind if isinstance(kind, str) else None
