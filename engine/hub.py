"""The Hugging Face Hub, asked politely: the local cache first, and a few seconds at most without an answer.

Left to themselves the libraries retry for the better part of a minute when there is no network.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Literal

from engine.errors import ConfigError, reason_of

Room = Literal["model", "data"]

PATIENCE = 5.0
"""Seconds to wait for the Hub's first answer."""

_PART = r"[A-Za-z0-9](?:[\w.-]{0,94}[A-Za-z0-9])?"


def is_id(name: str) -> bool:
    """Whether `name` could be an id on the Hub: `owner/name`, or a bare `name` of the early days."""
    return re.fullmatch(rf"(?:{_PART}/)?{_PART}", name, re.ASCII) is not None and not re.search(r"--|\.\.", name)


def offline() -> bool:
    """Whether HF_HUB_OFFLINE forbids every request."""
    from huggingface_hub import is_offline_mode

    return bool(is_offline_mode())


def find(name: str, room: Room, field: str, **values: str) -> tuple[str, ...]:
    """The names of the files of a model (or of data) on the Hub.

    Raises ConfigError (with `values` for its words): `….unknown` where the Hub has no such id or shows it only to
    others, `….gated`, and `….unreachable` where there is no answer. The question runs in a thread of its own,
    because looking up a host's name heeds no timeout.
    """
    return tuple(_bounded(lambda: _ask(name, room), name, room, field, **values))


def about(name: str) -> dict[str, Any]:
    """What the Hub says of a model that is not here: `config` (of config.json), `parameters`, `licence`, `gated`, and
    `other_weights`, a file's name where none of the files is a safetensors. Raises ConfigError as `find`.
    """
    found: dict[str, Any] = _bounded(lambda: _ask_about(name), name, "model", "model", known="")
    return found


def _bounded(ask: Callable[[], Any], name: str, room: Room, field: str, **values: str) -> Any:
    if offline():
        raise ConfigError(f"{room}.offline", field=field, name=name, **values)
    answer: list[Any] = []
    thread = Thread(target=lambda: answer.append(ask()), name="birikim-hub", daemon=True)
    thread.start()
    thread.join(PATIENCE + 1)
    found = answer[0] if answer else TimeoutError(f"no answer within {PATIENCE:.0f} s")
    if isinstance(found, Exception):
        code, reason = _explained(found)
        raise ConfigError(f"{room}.{code}", field=field, name=name, reason=reason, **values) from None
    return found


def _ask_about(name: str) -> dict[str, Any] | Exception:
    from huggingface_hub import HfApi, hf_hub_download

    try:
        info = HfApi().model_info(name, timeout=PATIENCE)
        files = [sibling.rfilename for sibling in info.siblings or []]
        config = dict(info.config or {})
        with suppress(Exception):  # one that is gated shows what it is, and not its files
            config = json.loads(Path(hf_hub_download(name, "config.json")).read_text(encoding="utf-8"))
        others = [] if any(file.endswith(".safetensors") for file in files) else files
        return {
            "config": config,
            "parameters": info.safetensors.total if info.safetensors else None,
            "licence": info.card_data.get("license") if info.card_data else None,
            "gated": bool(info.gated),
            "other_weights": next((file for file in others if file.endswith((".bin", ".pt", ".h5", ".gguf"))), None),
        }
    except Exception as error:
        return error


def _ask(name: str, room: Room) -> list[str] | Exception:
    from huggingface_hub import HfApi

    api = HfApi()
    ask = api.model_info if room == "model" else api.dataset_info
    try:
        return [sibling.rfilename for sibling in ask(name, timeout=PATIENCE).siblings or []]
    except Exception as error:
        return error


def _explained(error: Exception) -> tuple[str, str]:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    reason = reason_of(error)
    if isinstance(error, GatedRepoError):
        return "gated", reason
    return ("unknown" if isinstance(error, RepositoryNotFoundError) else "unreachable"), reason
