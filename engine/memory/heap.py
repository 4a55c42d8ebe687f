"""What the C library has handed out of its heap: on a CPU, tensors and all else that a process holds."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


class _Mallinfo(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"
        )
    ]  # fmt: skip


def heap_in_use() -> int | None:
    """Bytes that are handed out now, in all arenas and in mappings of their own; None where the library can't tell.

    Unlike the resident memory it falls when something is freed. Files that are mapped, such as weights, are not in it.
    """
    count = _counter()
    if count is None:
        return None
    found = count()
    return int(found.uordblks + found.hblkhd)


@cache
def _counter() -> Any:
    if sys.platform != "linux":
        return None
    try:
        count = ctypes.CDLL("libc.so.6").mallinfo2
    except (OSError, AttributeError):
        return None
    count.restype = _Mallinfo
    return count
