"""A process beside the program: one that hangs keeps nobody waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Beside
from engine.answering import beside as beside_module

HANGS = "import time\ntime.sleep(600)\n"
REPEATS = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"

Starts = Callable[[str], Beside]


@pytest.fixture
def heard() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: list[dict[str, Any]]) -> Starts:
    monkeypatch.chdir(tmp_path)

    def start(program: str) -> Beside:
        (tmp_path / "other_program.py").write_text(program)
        return Beside("other_program", [], heard.append)

    return start


def ended(process: Beside) -> bool:
    until = time.monotonic() + 10
    while process.alive and time.monotonic() < until:
        time.sleep(0.02)
    return not process.alive


def test_all_lines_are_told_in_order_before_it_is_closed(starts: Starts, heard: list[dict[str, Any]]) -> None:
    process = starts(REPEATS)
    for number in range(50):
        process.tell({"number": number})
    process.close()
    assert [each["number"] for each in heard] == list(range(50))


def test_one_that_reads_nothing_keeps_neither_who_tells_nor_who_closes_waiting(
    starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside_module, "PATIENCE", 0.2)
    process = starts(HANGS)
    begun = time.monotonic()
    process.tell({"more than a pipe holds": "a" * 2**20})
    process.close()
    assert not process.alive
    assert time.monotonic() - begun < 5


def test_one_that_lets_many_lines_wait_is_ended(starts: Starts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_module, "MOST_UNHEARD", 3)
    process = starts(HANGS)
    for _ in range(6):
        process.tell({"more than a pipe holds": "a" * 2**20})
    assert ended(process)
    process.close()
