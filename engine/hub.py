"""The Hugging Face Hub, asked politely: the local cache first, and a few seconds at most without an answer.

Left to themselves the libraries retry for the better part of a minute when there is no network.
"""

from __future__ import annotations

import re
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
    if offline():
        raise ConfigError(f"{room}.offline", field=field, name=name, **values)
    answer: list[Any] = []
    thread = Thread(target=lambda: answer.append(_ask(name, room)), name="birikim-hub", daemon=True)
    thread.start()
    thread.join(PATIENCE + 1)
    found = answer[0] if answer else TimeoutError(f"no answer within {PATIENCE:.0f} s")
    if isinstance(found, Exception):
        code, reason = _explained(found)
        raise ConfigError(f"{room}.{code}", field=field, name=name, reason=reason, **values) from None
    return tuple(found)


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
