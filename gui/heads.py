"""The table of all heads, searched and in pages."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine import heads_table
from gui.answers import Asked

PAGE = 40
SHOWN = (
    *("head", "model_type", "task", "problem_type", "built", "exact", "relative_error"),
    *("trainer_exact", "trainer_norm_ratio", "reason", "detail"),
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
        "tasks": _counts(table),
        "found": len(found),
        "page": page,
        "pages": -(-len(found) // PAGE),
        "rows": [{name: row.get(name) for name in SHOWN} for row in rows],
    }


def _holds(row: dict[str, Any], words: list[str]) -> bool:
    text = " ".join(str(row.get(name) or "") for name in SEARCHED).casefold()
    return all(word in text for word in words)


def _counts(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    heads = Counter(row.get("task") for row in table)
    built = Counter(row.get("task") for row in table if row.get("built"))
    exact = Counter(row.get("task") for row in table if row.get("exact"))
    stock = Counter(row.get("task") for row in table if row.get("trainer_exact"))
    return [
        {"task": task, "heads": count, "built": built[task], "exact": exact[task], "trainer_exact": stock[task]}
        for task, count in heads.items()
    ]
