"""Sizes of memory as people write them: 8GiB, 500MB, or a whole number of bytes."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from engine.config.training import shown
from engine.errors import ConfigError

UNITS = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("KMGT", start=1)},
    **{f"{prefix}IB": 1024**power for power, prefix in enumerate("KMGT", start=1)},
}
"""Unit, in capitals → bytes: those with an I go in steps of 1024, the others in steps of 1000."""

_BINARY = tuple((f"{prefix}iB", 1024**power) for power, prefix in reversed([*enumerate("KMGT", start=1)]))

_SIZE = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)\s*([A-Za-z]*)", re.ASCII)


def bytes_of(size: int | str) -> int:
    """The bytes of a size. Raises ValueError for what is none, and for less than 1 or more than 2⁶³ − 1 of them."""
    found = _SIZE.fullmatch(str(size).strip())
    if found is None:
        raise ValueError(size)
    number, unit = found[1], found[2].upper()
    if unit not in UNITS and (unit or "." in number):
        raise ValueError(size)
    exact = int(Decimal(number) * UNITS.get(unit, 1))
    if not 1 <= exact < 2**63:
        raise ValueError(size)
    return exact


def checked_size(value: Any, field: str) -> int | str | None:
    """`value` as it was written, where it is a size or None. Raises ConfigError about `field`."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None:
        return None
    try:
        if not isinstance(value, int | str) or isinstance(value, bool):
            raise ValueError(value)
        bytes_of(value)
    except ValueError:
        raise ConfigError("config.bytes", field=field, value=shown(value)) from None
    return value


def size_text(size: int) -> str:
    """Bytes for people, to three digits: 8 GiB, 1.25 GiB, 512 B."""
    unit, factor = next((each for each in _BINARY if size >= each[1]), ("B", 1))
    number = size / factor
    return f"{number:.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"
