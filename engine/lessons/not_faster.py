"""It is not faster: the same rows in one update, in ever smaller micro-batches, and the time that each plan takes."""

from __future__ import annotations

from typing import Any

from engine.figures import plan_text
from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset

PLANS = ((32, 1), (16, 2), (8, 4), (4, 8), (2, 16), (1, 32))
UPDATES = 9
WARMING = 1
"""Updates at the beginning that are not counted: the first one also makes the optimizer's state."""

SAME = 0.1
"""Throughputs that are no further apart, relative, are called the same."""


def picture(measured: Measured) -> Picture:
    found = _throughputs(measured)
    plans = [plan_text(each["plan"]) for each in found]
    return Picture(
        [
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.rows-a-second"), "number"),
            Quantity(code("column.quickest-update"), "seconds"),
            Quantity(code("column.padding"), "share"),
            Quantity(code("column.updates")),
        ],
        [
            [plan, each["throughput"], each["seconds"], each["padding"], each["updates"]]
            for plan, each in zip(plans, found, strict=True)
        ],
        Chart(
            "bars",
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.rows-a-second"), "number"),
            [Series(code("series.throughput"), plans, [each["throughput"] for each in found])],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    found = _throughputs(measured)
    large, small = found[0], found[-1]
    best = max(found, key=lambda each: each["throughput"])
    values = {
        "large": plan_text(large["plan"]),
        "small": plan_text(small["plan"]),
        "best": plan_text(best["plan"]),
        "large_rate": large["throughput"],
        "small_rate": small["throughput"],
        "best_rate": best["throughput"],
        "slower": large["throughput"] / small["throughput"],
        "faster": small["throughput"] / large["throughput"],
        "gain": best["throughput"] / large["throughput"],
    }
    if abs(small["throughput"] / large["throughput"] - 1) <= SAME:
        ends = "same"
    else:
        ends = "slower" if small["throughput"] < large["throughput"] else "faster"
    said = [Sentence(code("not-faster.conclusion", ends), values)]
    if best["throughput"] > (1 + SAME) * max(large["throughput"], small["throughput"]):
        said.append(Sentence(code("not-faster.conclusion.between"), values))
    rows = {each["rows"] for each in found}
    if len(rows) == 1:
        same = {"updates": found[0]["updates"], "rows": rows.pop()}
        said.append(Sentence(code("not-faster.conclusion.same-work"), same))
    return said


def _throughputs(measured: Measured) -> list[dict[str, Any]]:
    """Of each plan rows a second in its quickest update: other programs can make one slower and never faster.

    None of a plan that has just begun.
    """
    found = []
    for plan in PLANS:
        updates = measured.get(_part_name(plan), {}).get("updates", {})
        seconds = updates.get("duration", [])[WARMING:]
        if seconds:
            rows = updates["examples"]
            found.append(
                {
                    "plan": plan,
                    "seconds": min(seconds),
                    "throughput": max(each / taken for each, taken in zip(rows[WARMING:], seconds, strict=True)),
                    "padding": sum(updates["padding"]) / len(updates["padding"]),
                    "updates": len(updates["update"]),
                    "rows": sum(rows),
                }
            )
    return found


def _part_name(plan: tuple[int, int]) -> str:
    return f"{plan[0]}x{plan[1]}"


def _config(plan: tuple[int, int]) -> dict[str, Any]:
    training = {"learning_rate": 1e-3, "max_steps": UPDATES}
    # nearly every paragraph is longer: rows of one length, so that padding is not what makes the difference
    return preset("tiny-llama", "text-generation", "python-docs", plan=plan, max_length=16, training=training)


LESSON = Lesson(
    "not-faster", tuple(Part(_part_name(plan), "train", _config(plan)) for plan in PLANS), picture, conclude
)
