"""What counts as a target: shifted labels, packed rows, masked tokens, tags, written answers, classes."""

from __future__ import annotations

from typing import Any

from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset

PLAN = (4, 1)

HEADS: dict[str, tuple[str, str, str]] = {
    "causal": ("tiny-llama", "text-generation", "sums"),
    "packed": ("tiny-llama", "text-generation", "sums"),
    "unshifted": ("minilm", "text-generation", "sums"),
    "masked": ("tiny-bert", "fill-mask", "sentiment"),
    "tags": ("tiny-bert", "token-classification", "entities"),
    "written": ("tiny-t5", "text2text-generation", "numerals"),
    "classes": ("tiny-bert", "text-classification", "sentiment"),
}
"""By part: a model, its task, and data."""

COUNTS = ("examples", "positions", "padded", "labels", "targets", "stock")


def picture(measured: Measured) -> Picture:
    names = [name for name in HEADS if name in measured]
    labels = [_label(name) for name in names]
    return Picture(
        [Quantity(code("column.head"), "text"), *(Quantity(code("column", name)) for name in COUNTS)],
        [[label, *(measured[name][column] for column in COUNTS)] for label, name in zip(labels, names, strict=True)],
        Chart(
            "bars",
            Quantity(code("column.head"), "text"),
            Quantity(code("column.number")),
            [
                Series(code("column", column), labels, [measured[name][column] for name in names])
                for column in ("positions", "targets", "stock")
            ],
        ),
    )


def conclude(measured: Measured) -> list[Sentence]:
    causal, packed = measured["causal"], measured["packed"]
    said = [Sentence(code("targets.conclusion", _of_the_shift(causal)), dict(_counts(causal)))]
    same = packed["targets"] == causal["targets"]
    values = {
        "packed": packed["targets"],
        "padded": causal["targets"],
        "positions_packed": packed["positions"],
        "positions_padded": causal["positions"],
    }
    said.append(Sentence(code("targets.conclusion", "packed-same" if same else "packed-other"), values))
    masked, classes = measured["masked"], measured["classes"]
    tokens = masked["positions"] - masked["padded"]
    values = {
        "masked": masked["targets"],
        "tokens": tokens,
        "share": masked["targets"] / tokens,
        "classes": classes["targets"],
        "rows": classes["examples"],
    }
    said.append(Sentence(code("targets.conclusion.by-task"), values))
    wrong = [name for name in HEADS if measured[name]["stock"] not in (None, measured[name]["targets"])]
    for name in wrong:
        values = {"model_class": measured[name]["model_class"], **_counts(measured[name])}
        said.append(Sentence(code("targets.conclusion.stock-other"), values))
    if not wrong:
        said.append(Sentence(code("targets.conclusion.stock-same"), {"heads": len(HEADS)}))
    return said


def _of_the_shift(causal: Any) -> str:
    return "shift" if causal["shifts"] and causal["targets"] < causal["labels"] else "no-shift"


def _counts(found: Any) -> dict[str, Any]:
    return {name: found[name] for name in COUNTS}


def _label(name: str) -> str:
    return code("targets.part", name)


def _config(name: str) -> dict[str, Any]:
    model, task, data = HEADS[name]
    packing = name == "packed"
    return preset(model, task, data, plan=PLAN, max_length=32, training={"max_steps": 20}, packing=packing)


LESSON = Lesson("targets", tuple(Part(name, "count", _config(name)) for name in HEADS), picture, conclude)
