"""What is said under one code."""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """What is wrong and where, and what to do about it."""

    message: str
    remedy: str
