"""Tokens and passwords, which no config may hold: what is not in it is neither stored nor shown."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}|\bapi_org_[A-Za-z0-9]{16,}|\bsk-[\w-]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\bAKIA[A-Z0-9]{16}|://[^/\s:@]*:[^/\s@]+@",
    re.ASCII,
)
"""Of the Hub, of others that people have at hand, and a URL with a password in it."""

HIDDEN = "…"


def holds_secret(text: str) -> bool:
    """Whether a token, or a URL with a password, stands in `text`."""
    return _SECRET.search(text) is not None


def masked(text: str) -> str:
    """`text` without its secrets."""
    return _SECRET.sub(HIDDEN, text)
