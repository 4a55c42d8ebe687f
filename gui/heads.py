"""The table of all heads, searched and in pages."""

from __future__ import annotations

from typing import Any

from engine import counts_by_task, heads_table
from gui.answers import Asked
from gui.text import TABLES

PAGE = 40
SHOWN = (
    *("head", "model_type", "task", "problem_type", "built", "exact", "relative_error"),
    *("trainer_exact", "trainer_norm_ratio", "trainer_way", "reason", "detail"),
)
SEARCHED = ("head", "model_type", "task", "problem_type", "reason")


def page_of_heads(asked: Asked) -> dict[str, Any]:
    """`{search, task, page}` → the counts by task of the whole table, and one page of the rows that hold each word."""
    table = heads_table()
    words, task, page = asked.text("search").casefold().split(), asked.text("task"), asked.number("page") or 0
    found = [row for row in table if task in ("", row.get("task")) and _holds(row, words)]
    page = min(page, max(0, (len(found) - 1) // PAGE))
    rows = found[page * PAGE : (page + 1) * PAGE]
    return {
        "tasks": [{"task": task, **counts} for task, counts in counts_by_task(table).items()],
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
