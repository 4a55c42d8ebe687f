"""The stock Trainer's fault, by head: five heads proved live, beside the saved table of all."""

from __future__ import annotations

from typing import Any

from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset
from engine.saved_tables import counts_by_task, heads_table

PLAN = (2, 4)

HEADS: dict[str, tuple[str, str, str]] = {
    "causal": ("tiny-llama", "text-generation", "sums"),
    "classes": ("tiny-bert", "text-classification", "sentiment"),
    "tags": ("tiny-bert", "token-classification", "entities"),
    "masked": ("tiny-bert", "fill-mask", "sentiment"),
    "written": ("tiny-t5", "text2text-generation", "numerals"),
}
"""By part: a model, its task, and data."""


def picture(measured: Measured) -> Picture:
    names = [name for name in HEADS if name in measured and _ways(measured[name])]
    found = [_ways(measured[name]) for name in names]
    labels = [code("stock-trainer.part", name) for name in names]
    ours = [ways["accumulated"]["norm_ratio"] for ways in found]
    theirs = [ways["trainer"]["norm_ratio"] for ways in found]
    totals = [_saved(HEADS[name][1]) for name in names]
    return Picture(
        [
            Quantity(code("column.head"), "text"),
            Quantity(code("column.error-ours"), "error"),
            Quantity(code("column.error-trainer"), "error"),
            Quantity(code("column.norm-trainer"), "ratio"),
            Quantity(code("column.heads-built")),
            Quantity(code("column.heads-trainer-exact")),
        ],
        [
            [label, ways["accumulated"]["relative_error"], ways["trainer"]["relative_error"], ratio, *total]
            for label, ways, ratio, total in zip(labels, found, theirs, totals, strict=True)
        ],
        Chart(
            "bars",
            Quantity(code("column.head"), "text"),
            Quantity(code("column.norm-of-gradient"), "ratio"),
            [Series(code("series.birikim"), labels, ours), Series(code("series.trainer"), labels, theirs)],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    found = [(_ways(measured[name]), measured[name]["tolerance"]) for name in HEADS]
    wrong = [ways["trainer"] for ways, tolerance in found if _off(ways["trainer"], tolerance)]
    ours_off = [ways["accumulated"] for ways, tolerance in found if _off(ways["accumulated"], tolerance)]
    values: dict[str, Any] = {
        "heads": len(found), "wrong": len(wrong), "right": len(found) - len(wrong), "steps": PLAN[1]
    }  # fmt: skip
    if wrong:
        ratios = [way["norm_ratio"] for way in wrong if way["norm_ratio"] is not None]
        values |= {"least": min(ratios, default=None), "most": max(ratios, default=None)}
    said = [Sentence(code("stock-trainer.conclusion", "wrong" if wrong else "right"), values)]
    ours = {"heads": len(HEADS), "off": len(ours_off)}
    said.append(Sentence(code("stock-trainer.conclusion", "ours-off" if ours_off else "ours-exact"), ours))
    built, exact = _saved(None)
    if built:
        said.append(Sentence(code("stock-trainer.conclusion.table"), {"built": built, "exact": exact}))
    return said


def _ways(found: Any) -> dict[str, dict[str, Any]]:
    """The run's own accumulation and the stock Trainer's; empty until both are there."""
    ways = {way["name"]: way for way in found["ways"]}
    return ways if {"accumulated", "trainer"} <= ways.keys() else {}


def _off(way: dict[str, Any], tolerance: float) -> bool:
    return way["relative_error"] is None or way["relative_error"] > tolerance


def _saved(task: str | None) -> tuple[int | None, int | None]:
    """Of all heads of a task, or of all tasks, how many were built and in how many the stock Trainer is exact."""
    counts = counts_by_task(heads_table())
    found = counts.values() if task is None else [counts[task]] if task in counts else []
    if not found:
        return None, None
    return sum(each["built"] for each in found), sum(each["trainer_exact"] for each in found)


def _config(model: str, task: str, data: str) -> dict[str, Any]:
    return preset(model, task, data, plan=PLAN, max_length=48, training={"max_steps": 40})


LESSON = Lesson(
    "stock-trainer",
    tuple(Part(name, "proof", _config(*chosen), {"precision": "fp64"}) for name, chosen in HEADS.items()),
    picture,
    conclude,
)
