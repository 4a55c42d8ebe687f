"""Config keys of the design whose feature is still to come: their neutral value is accepted, any other refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEUTRAL: dict[str, Any] = {
    "launch": {"processes": 1},
}
"""Key → the value that asks for nothing."""

READ_ELSEWHERE = frozenset({"sweep"})
"""Keys that are for another command, and that a run ignores."""


def refused(key: str, value: Any) -> bool:
    """Whether `value` asks for something that this version can't do. `key` is one of `NEUTRAL`."""
    neutral = NEUTRAL[key]
    return type(value) is not type(neutral) or value != neutral


def without(values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` without the keys of this table."""
    return {key: value for key, value in values.items() if key not in NEUTRAL and key not in READ_ELSEWHERE}
