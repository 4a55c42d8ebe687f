"""The table of all heads, searched and in pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from engine import heads_table
from gui.answers import Asked
from gui.text import TABLES

PAGE = 40
SHOWN = (
    *("head", "model_type", "task", "problem_type", "built", "exact", "relative_error"),
    *("trainer_exact", "trainer_norm_ratio", "trainer_way", "reason", "detail"),
)
COUNTED = ("built", "exact", "trainer_exact")
SEARCHED = ("head", "model_type", "task", "problem_type", "reason")


def page_of_heads(asked: Asked) -> dict[str, Any]:
    """`{search, task, page}` → the counts by task of the whole table, and one page of the rows that hold each word."""
    table = heads_table()
    words, task, page = asked.text("search").casefold().split(), asked.text("task"), asked.number("page") or 0
    found = [row for row in table if task in ("", row.get("task")) and _holds(row, words)]
    page = min(page, max(0, (len(found) - 1) // PAGE))
    rows = found[page * PAGE : (page + 1) * PAGE]
    return {
        "tasks": _counts(table),
        "found": len(found),
        "page": page,
        "pages": -(-len(found) // PAGE),
        "rows": [{name: row.get(name) for name in SHOWN} for row in rows],
    }


def _holds(row: dict[str, Any], words: list[str]) -> bool:
    reason = f"heads.reason.{row.get('reason')}"
    parts = [str(row.get(name) or "") for name in SEARCHED] + [table.get(reason, "") for table in TABLES.values()]
    text = " ".join(parts).casefold()
    return all(word in text for word in words)


def _counts(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By task how many heads there are, and of how many all rows are built and exact: one has a row a problem type."""
    heads: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in table:
        heads[str(row.get("task")), str(row.get("head"))].append(row)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (task, _), rows in heads.items():
        counts[task].update({"heads": 1, **{part: int(all(row.get(part) for row in rows)) for part in COUNTED}})
    return [{"task": task, **count} for task, count in counts.items()]
