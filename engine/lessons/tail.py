"""The tail window and the schedule: what the last window of an epoch holds, and how many updates there are at all."""

from __future__ import annotations

from typing import Any

from engine.figures import plan_text
from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset

ROWS = 42
SUMS = 4200
WARMUP = 3
EPOCHS = 3
PARTS = ("steps-4", "steps-8", "drop-last")


def picture(measured: Measured) -> Picture:
    rows, series = [], []
    for name in PARTS:
        if name in measured:
            updates = measured[name]["updates"]
            plan = plan_text(measured[name]["plan"])
            label = code("series", name)
            series.append(Series(label, updates["epoch"], updates["learning_rate"]))
            rows += [
                [label, plan, *each]
                for each in zip(
                    updates["update"],
                    updates["epoch"],
                    updates["examples"],
                    [1 / examples for examples in updates["examples"]],
                    updates["learning_rate"],
                    strict=True,
                )
            ]
    return Picture(
        [
            Quantity(code("column.run"), "text"),
            Quantity(code("column.plan"), "plan"),
            Quantity(code("column.update")),
            Quantity(code("column.epoch"), "number"),
            Quantity(code("column.rows")),
            Quantity(code("column.weight-of-a-row"), "share"),
            Quantity(code("column.learning-rate"), "rate"),
        ],
        rows,
        Chart(
            "lines", Quantity(code("column.epoch"), "number"), Quantity(code("column.learning-rate"), "rate"), series
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    four, eight, dropped = (_of(measured, name) for name in PARTS)
    tail = code("tail.conclusion", "tail" if four["least"] < four["most"] else "even")
    said = [Sentence(tail, {**four, "factor": four["most"] / four["least"]})]
    values = {
        "four": four["updates"],
        "eight": eight["updates"],
        "warmup": WARMUP,
        "share_four": WARMUP / four["updates"],
        "share_eight": WARMUP / eight["updates"],
    }
    fewer = eight["updates"] < four["updates"]
    said.append(Sentence(code("tail.conclusion", "fewer-updates" if fewer else "as-many-updates"), values))
    left = {"left": four["met"] - dropped["met"], "met": dropped["met"], "least": dropped["least"]}
    said.append(Sentence(code("tail.conclusion", "dropped" if left["left"] else "nothing-dropped"), left))
    return said


def _of(measured: Measured, name: str) -> dict[str, Any]:
    updates = measured[name]["updates"]
    return {
        "rows": measured[name]["rows"],
        "updates": len(updates["update"]),
        "most": max(updates["examples"]),
        "least": min(updates["examples"]),
        "met": sum(updates["examples"]),
    }


def _config(steps: int, **training: Any) -> dict[str, Any]:
    return preset(
        "tiny-llama",
        "text-generation",
        "sums",
        plan=(4, steps),
        max_length=32,
        eval_rows=SUMS - ROWS,
        training={"learning_rate": 1e-3, "num_train_epochs": EPOCHS, "warmup_steps": WARMUP, **training},
    )


LESSON = Lesson(
    "tail",
    (
        Part("steps-4", "train", _config(4)),
        Part("steps-8", "train", _config(8)),
        Part("drop-last", "train", _config(4, dataloader_drop_last=True)),
    ),
    picture,
    conclude,
)
