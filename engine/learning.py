"""A lesson on the command line: its parts as they are done, its numbers as a table, and its conclusion."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

from engine.console import print_json
from engine.ending import end_signals
from engine.events import ALIVE
from engine.lessons import WORDS, Lessons, told
from engine.lessons.telling import number_text

LOOK = 0.1
"""Seconds between looks at the store."""

WORDS_OF_A_CELL = ("text", "plan")


def learn_here(lessons: Lessons, name: str, output: TextIO, *, as_json: bool) -> dict[str, Any]:
    """Runs a lesson to its end and prints it on `output`; returns its last state. Ctrl-C stops it as Stop does."""
    words = WORDS["en"]
    lessons.start(name)
    ended: set[str] = set()
    stopping = False
    with end_signals(heeded=1) as heard:
        while True:
            state = lessons.state(name)
            for part in state["parts"]:
                if part["state"] not in ALIVE and part["name"] not in ended:
                    ended.add(part["name"])
                    label = words[f"lesson.{name}.part.{part['name']}"]
                    if as_json:
                        print_json({each: part[each] for each in ("name", "run", "state", "seconds")}, output)
                    else:
                        took = number_text(part["seconds"], "seconds")
                        print(f"{label}: {part['state']}, {took}", file=output, flush=True)
            if state["state"] != "working":
                break
            if heard and not stopping:
                stopping = True
                print("Stopping the lesson; once more leaves at once.", file=sys.stderr, flush=True)
                lessons.stop(name)
            time.sleep(LOOK)
    if as_json:
        print_json(state, output)
    else:
        print("", *table(state["figures"]), "", sep="\n", file=output)
        for sentence in state["conclusion"]:
            print(told(sentence["name"], sentence["values"]), file=output)
    return state


def table(figures: dict[str, Any]) -> Iterator[str]:
    """The figures in columns, each as wide as what stands in it."""
    columns = figures["columns"]
    units = [column["unit"] for column in columns]
    head = [_named(column["name"]) for column in columns]
    body = [[_cell(cell, unit) for cell, unit in zip(row, units, strict=True)] for row in figures["rows"]]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    for line in (head, *body):
        cells = (
            cell.ljust(width) if unit in WORDS_OF_A_CELL else cell.rjust(width)
            for cell, width, unit in zip(line, widths, units, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _cell(cell: Any, unit: str) -> str:
    return _named(cell) if isinstance(cell, str) else number_text(cell, unit)


def _named(text: str) -> str:
    return WORDS["en"].get(text, text)
