"""What long proofs have found, saved as tables beside the benchmarks."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

HEADS = Path(__file__).resolve().parent.parent / "tests" / "benchmarks" / "tables" / "heads.jsonl"


COUNTED = ("built", "exact", "trainer_exact")


def heads_table() -> list[dict[str, Any]]:
    """One row a head, as `birikim heads` found it; none where no table was made. Not to be changed by the caller."""
    try:
        return _read(HEADS, HEADS.stat().st_mtime_ns)
    except FileNotFoundError:
        return []


def counts_by_task(table: Iterable[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Of the heads of each task how many there are, and of how many every row is `built`, `exact`, `trainer_exact`.

    A head has a row a problem type.
    """
    heads: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in table:
        heads[str(row.get("task")), str(row.get("head"))].append(row)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (task, _), rows in heads.items():
        counts[task].update({"heads": 1, **{part: int(all(row.get(part) for row in rows)) for part in COUNTED}})
    return counts


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
