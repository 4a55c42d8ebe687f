"""The table of all heads, searched and in pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import heads_table, saved_tables
from gui.answers import Asked
from gui.heads import PAGE, page_of_heads
from gui.text import ENGLISH


def row(number: int, **values: Any) -> dict[str, Any]:
    return {
        "head": f"Model{number}ForCausalLM", "model_type": f"model{number}", "task": "text-generation",
        "problem_type": None, "built": True, "exact": True, "relative_error": 3e-16, "trainer_exact": False,
        "trainer_norm_ratio": 4.0, "reason": None, "detail": "", "seconds": 1.0, **values,
    }  # fmt: skip


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "heads.jsonl"
    monkeypatch.setattr(saved_tables, "HEADS", path)
    return path


def save(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")


def test_without_a_table_there_are_no_heads(table: Path) -> None:
    assert heads_table() == []
    assert page_of_heads(Asked({})) == {"tasks": [], "found": 0, "page": 0, "pages": 0, "rows": []}
    assert "python -m tests.benchmarks.heads" in ENGLISH["heads.empty"]


def test_a_table_that_was_made_anew_is_read_anew(table: Path) -> None:
    save(table, row(1))
    assert len(heads_table()) == 1
    save(table, row(1), row(2), row(3))
    assert len(heads_table()) == 3


def test_pages_are_moderate_and_one_past_the_last_is_the_last(table: Path) -> None:
    save(table, *map(row, range(PAGE + 3)))
    first, past = page_of_heads(Asked({})), page_of_heads(Asked({"page": 99}))
    assert (len(first["rows"]), first["pages"], first["found"]) == (PAGE, 2, PAGE + 3)
    assert (past["page"], len(past["rows"])) == (1, 3)
    assert "seconds" not in first["rows"][0]


def test_every_word_of_a_search_must_be_in_the_row_and_its_reason_counts(table: Path) -> None:
    norms = row(2, task="fill-mask", exact=False, reason="batch-statistics")
    save(table, row(1), norms, row(22, task="fill-mask"))
    found = page_of_heads(Asked({"search": " MODEL2  batch "}))
    assert [each["head"] for each in found["rows"]] == ["Model2ForCausalLM"]
    assert page_of_heads(Asked({"search": "normalises by statistics"}))["found"] == 1
    assert page_of_heads(Asked({"search": "no such"}))["found"] == 0
    assert page_of_heads(Asked({"task": "fill-mask"}))["found"] == 2


def test_a_head_counts_once_and_is_exact_where_it_is_for_every_kind_of_label(table: Path) -> None:
    kinds = {"task": "text-classification", "head": "BertForSequenceClassification"}
    save(table, row(1, **kinds, problem_type="regression"), row(1, **kinds, problem_type="multi", exact=False))
    [count] = page_of_heads(Asked({}))["tasks"]
    assert count == {"task": "text-classification", "heads": 1, "built": 1, "exact": 0, "trainer_exact": 0}


def test_the_counts_are_those_of_the_whole_table_whatever_is_searched(table: Path) -> None:
    save(table, row(1), row(2, built=False, exact=False, reason="not-built"), row(3, task="fill-mask"))
    counts = page_of_heads(Asked({"search": "model3"}))["tasks"]
    assert counts == [
        {"task": "text-generation", "heads": 2, "built": 1, "exact": 1, "trainer_exact": 0},
        {"task": "fill-mask", "heads": 1, "built": 1, "exact": 1, "trainer_exact": 0},
    ]
