"""The saved table of all heads, as `birikim heads` found them."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "tests" / "benchmarks" / "tables" / "heads.jsonl"


def heads_table() -> list[dict[str, Any]]:
    """One row a head, in the order of the table; none where no table was made. Not to be changed by the caller."""
    try:
        return _read(TABLE, TABLE.stat().st_mtime_ns)
    except FileNotFoundError:
        return []


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
