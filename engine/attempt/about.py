"""What can be asked of the model that a run has left, as far as its files tell at a glance. Imports no torch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.errors import StoreError
from engine.events import ALIVE
from engine.store import Run

WITH_BASE = frozenset({"text-generation", "text2text-generation", "fill-mask"})
"""Tasks whose head is pretrained as well: what the model said before the training means something."""


@dataclass(frozen=True)
class Tryable:
    """What a page needs to know before it asks.

    `task` as in the config; `base`: whether the model from before can be asked as well; `mask`: how a place to be
    filled is written; `chat`: whether there is a chat template, and `trained_on_chat` whether it was used.
    """

    task: str
    base: bool
    mask: str | None
    chat: bool
    trained_on_chat: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def model_folder(home: Path, run: Run) -> Path:
    """Where the trained model lies. Raises StoreError where the run has not ended, or has left none."""
    if run.kind != "train":
        raise StoreError("store.no-run", run=run.id)
    if run.state in ALIVE:
        raise StoreError("try.under-way", run=run.id)
    folder = home / "runs" / str(run.id) / "model"
    if not (folder / "config.json").is_file():
        raise StoreError("try.no-model", run=run.id)
    return folder


def tryable(home: Path, run: Run) -> Tryable:
    """Raises StoreError as `model_folder`."""
    folder = model_folder(home, run)
    task = str(run.config.get("task"))
    tokenizer = _json_of(folder / "tokenizer_config.json")
    mask = tokenizer.get("mask_token")
    mask = mask.get("content") if isinstance(mask, dict) else mask
    chat = bool(tokenizer.get("chat_template")) or (folder / "chat_template.jinja").is_file()
    data = run.config.get("data")
    return Tryable(
        task=task,
        base=task in WITH_BASE,
        mask=mask if task == "fill-mask" and isinstance(mask, str) else None,
        chat=chat and task == "text-generation",
        trained_on_chat=isinstance(data, dict) and bool(data.get("messages") or data.get("prompt")),
    )


def _json_of(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
