"""Errors on their way to the page: plain data that the browser puts into words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from engine import WORDING, BirikimError
from gui.text import ENGLISH

log = logging.getLogger("birikim.gui")

Fault = dict[str, Any]


def fault_of(error: Exception) -> Fault:
    """`code` and `values` for a page in any language, `message` and `remedy` in English, and the `field` or None.

    Of an error that isn't ours the page hears that something went wrong, and the log hears all of it.
    """
    if isinstance(error, BirikimError):
        return {
            "code": error.code,
            "values": {name: _plain(value) for name, value in error.values.items()},
            "message": _text(error.message),
            "remedy": _text(error.remedy),
            "field": error.field,
        }
    log.error("a handler of the page failed", exc_info=error)
    return own_fault("message.internal")


def words_of(code: str, values: Mapping[str, Any]) -> tuple[str, str]:
    """Message and remedy of an engine's code in English; empty for a code or values that this version doesn't know."""
    wording = WORDING.get(code)
    try:
        return (wording.message.format(**values), wording.remedy.format(**values)) if wording else ("", "")
    except (LookupError, ValueError):
        return "", ""


def own_fault(name: str, field: str | None = None, **values: Any) -> Fault:
    """A fault that the page itself finds, by the name of its words (`name` and `name`.remedy)."""
    return {
        "code": name,
        "values": values,
        "message": ENGLISH[name].format(**values),
        "remedy": ENGLISH.get(f"{name}.remedy", "").format(**values),
        "field": field,
    }


def _plain(value: Any) -> Any:
    """As JSON takes it: numbers within 64 bits, and text without broken characters."""
    if value is None or isinstance(value, float | bool) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    return _text(str(value))


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
