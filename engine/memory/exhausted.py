"""Whether an exception says that memory has run out, on any device."""

from __future__ import annotations

import re

_WORDS = re.compile(r"out of memory|can't allocate memory|not enough memory", re.IGNORECASE)


def is_out_of_memory(problem: BaseException) -> bool:
    if isinstance(problem, MemoryError) or type(problem).__name__ == "OutOfMemoryError":
        return True
    return isinstance(problem, RuntimeError) and bool(_WORDS.search(str(problem)))
