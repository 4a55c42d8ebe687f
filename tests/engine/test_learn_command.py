"""`birikim learn`: the list, a lesson to its conclusion, and a name that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.cli import app
from engine.learning import table
from engine.lessons import LESSONS


def learn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["learn", *map(str, arguments)])


def test_without_a_name_the_lessons_are_listed_in_their_order() -> None:
    told = learn()
    assert told.exit_code == 0
    assert [line.split()[0] for line in told.stdout.splitlines()] == list(LESSONS)
    [listed] = map(json.loads, learn("--json").stdout.splitlines())
    assert [each["lesson"] for each in listed["lessons"]] == list(LESSONS)
    assert listed["lessons"][0]["title"] == "Why accumulate?"


def test_a_lesson_that_is_none_is_one_line_and_exit_2(tmp_path: Path) -> None:
    found = learn("wy", "--home", tmp_path)
    assert found.exit_code == 2 and found.stdout == ""
    assert found.stderr.count("\n") == 1 and "wy" in found.stderr and "same-update" in found.stderr


def test_figures_stand_in_columns_with_their_names_and_units() -> None:
    columns = [{"name": "lesson.column.plan", "unit": "plan"}, {"name": "lesson.column.peak", "unit": "bytes"}]
    rows = [["32 × 1", 2**30], ["4 × 8", None], ["lesson.series.linear", 512]]
    assert list(table({"columns": columns, "rows": rows})) == [
        "micro-batch × steps   peak",
        "32 × 1               1 GiB",
        "4 × 8                    –",
        "large batch, linear  512 B",
    ]


@pytest.mark.slow
def test_a_lesson_runs_to_its_conclusion_and_its_state_is_the_last_object(tmp_path: Path) -> None:
    found = learn("tail", "--home", tmp_path, "--json")
    assert found.exit_code == 0, found.stderr
    *parts, state = map(json.loads, found.stdout.splitlines())
    assert [(part["name"], part["state"]) for part in parts] == [
        (part.name, "finished") for part in LESSONS["tail"].parts
    ]
    assert (state["lesson"], state["state"], state["fault"]) == ("tail", "done", None)
    # 42 rows in windows of 16: 16, 16 and 10, three times; in windows of 32: 32 and 10, three times
    steps = [[row[4] for row in state["figures"]["rows"] if row[0] == f"lesson.series.steps-{n}"] for n in (4, 8)]
    assert steps == [[16, 16, 10] * 3, [32, 10] * 3]
    assert [sentence["name"].rpartition(".")[2] for sentence in state["conclusion"]] == [
        "tail", "fewer-updates", "dropped"
    ]  # fmt: skip
    # another program on the same home finds it as it was
    again = learn("--home", tmp_path)
    assert again.exit_code == 0
