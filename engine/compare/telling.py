"""A comparison as lines on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.config.byte_size import size_text
from engine.console import counted
from engine.errors import one_line
from engine.figures import plan_text

NOTHING = "–"
IN_SECONDS = frozenset({"seconds"})


def lines_of(found: dict[str, Any]) -> Iterator[str]:
    """The figures, what differs, the spread over seeds, and the marks of `compare`."""
    yield from _columns(_head(found), [_row(each, found) for each in found["runs"]])
    rule = found["warm_up"]
    yield ""
    yield (
        f"Targets/s is the median over the updates after the warm-up: the first {rule['least']}, "
        f"or the first {rule['share']:.0%} where that is more."
    )
    if found["differences"]:
        yield ""
        names = [f"run {each['run']}" for each in found["runs"]]
        rows = [[each["key"], *map(_plain, each["values"])] for each in found["differences"]]
        yield from _columns(["what differs", *names], rows)
    for group in found["groups"]:
        yield ""
        yield f"Over the seeds of runs {', '.join(map(str, group['runs']))}:"
        for name, value in group["values"].items():
            mean, deviation = (_value(name, value[part]) for part in ("mean", "deviation"))
            yield f"  {name} {mean} ± {deviation} (standard deviation of {counted(value['n'], 'run')})"
    if found["marks"]:
        yield ""
        yield from (f"! {one_line(mark['message'], mark['remedy'], None)}" for mark in found["marks"])


def _head(found: dict[str, Any]) -> list[str]:
    names = ["run", "model · data", "batch", "state", "updates", "targets", "seconds", "loss", "eval loss"]
    reached = [] if found["below"] is None else [f"{found['metric']} ≤ {found['below']:g} at update", "targets", "s"]
    return [*names, "targets/s", "peak", *reached]


def _dealt(plan: dict[str, Any]) -> str:
    dealt = plan_text((plan["micro_batch"], plan["accumulation_steps"]))
    return dealt if plan["processes"] == 1 else f"{dealt} × {plan['processes']}"


def _row(figures: dict[str, Any], found: dict[str, Any]) -> list[str]:
    plan, reached = figures["plan"], figures["reached"] or {}
    batch = plan and f"{_dealt(plan)} = {plan['effective_batch']}"
    row = [
        str(figures["run"]),
        f"{figures['model']} · {figures['data']}",
        batch or NOTHING,
        figures["state"],
        *(_plain(figures[name]) for name in ("updates", "targets")),
        *(_value(name, figures[name]) for name in ("seconds", "loss", "eval_loss", "throughput", "peak_bytes")),
    ]
    at = [_plain(reached.get(name)) for name in ("update", "total_targets")]
    return row if found["below"] is None else [*row, *at, _value("seconds", reached.get("seconds"))]


def _value(name: str, value: float | None) -> str:
    if value is None:
        return NOTHING
    if name == "peak_bytes":
        return size_text(round(value))
    return f"{value:.1f}" if name in IN_SECONDS else f"{value:.4g}"


def _plain(value: Any) -> str:
    return NOTHING if value is None else str(value)


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Each column as wide as what stands in it; numbers stand at its right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    right = [all(_is_number(row[place]) for row in rows) for place in range(len(head))]
    for line in (head, *rows):
        cells = zip(line, widths, right, strict=True)
        yield "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells).rstrip()


def _is_number(cell: str) -> bool:
    return cell == NOTHING or cell[:1].isdigit()
