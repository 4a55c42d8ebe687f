"""Effective batch and learning rate: the same examples in fewer, larger updates, by three rules, and the noise."""

from __future__ import annotations

from typing import Any, get_args

from engine.accumulation.rates import ScalingRule, scaled_rate
from engine.lessons.lesson import Chart, Lesson, Measured, Part, Picture, Quantity, Sentence, Series, code
from engine.lessons.presets import preset

SMALL, LARGE = (8, 1), (8, 8)
EXAMPLES = 1024
RATE = 5e-4
RULES: tuple[ScalingRule, ...] = get_args(ScalingRule)
PARTS = ("small", *RULES)
WINDOWS = 6

SAME = 0.02
"""Evaluation losses that are no further apart, relative, are called the same."""


def picture(measured: Measured) -> Picture:
    rows, series = [], []
    for name in PARTS:
        if name in measured:
            found = measured[name]
            updates = found["updates"]
            label = code("series", name)
            met = [sum(updates["examples"][: place + 1]) for place in range(len(updates["examples"]))]
            series.append(Series(label, met, _smoothed(updates["loss"], found["plan"][0] * found["plan"][1])))
            batch = found["plan"][0] * found["plan"][1]
            rows.append([label, batch, len(met), updates["learning_rate"][0], found["eval_loss"]])
    return Picture(
        [
            Quantity(code("column.rule"), "text"),
            Quantity(code("column.effective-batch")),
            Quantity(code("column.updates")),
            Quantity(code("column.learning-rate"), "rate"),
            Quantity(code("column.eval-loss"), "number"),
        ],
        rows,
        Chart("lines", Quantity(code("column.examples")), Quantity(code("column.loss"), "number"), series),
    )


def conclude(measured: Measured) -> list[Sentence]:
    losses = {name: measured[name]["eval_loss"] for name in PARTS}
    best = min(RULES, key=lambda rule: losses[rule])
    worst = max(RULES, key=lambda rule: losses[rule])
    small = losses["small"]
    values = {
        "small": small,
        "none": losses["none"],
        "linear": losses["linear"],
        "root": losses["square-root"],
        "best": losses[best],
        "ratio": (LARGE[0] * LARGE[1]) / (SMALL[0] * SMALL[1]),
        "batch": LARGE[0] * LARGE[1],
        "before": SMALL[0] * SMALL[1],
        "few": len(measured["none"]["updates"]["update"]),
        "many": len(measured["small"]["updates"]["update"]),
    }
    alike = abs(losses["linear"] - losses["square-root"]) <= SAME * losses[best]
    if losses[worst] <= (1 + SAME) * losses[best]:
        rates = "rules-same"
    else:
        rates = "scaled-alike" if alike and worst == "none" else f"best-{best}"
    said = [Sentence(code("learning-rate.conclusion", rates), values)]
    if losses[best] <= (1 + SAME) * small:
        said.append(Sentence(code("learning-rate.conclusion.caught-up"), values))
    else:
        said.append(Sentence(code("learning-rate.conclusion.behind"), values))
    return [*said, _of_the_noise(measured["noise"])]


def _of_the_noise(found: Any) -> Sentence:
    batch = LARGE[0] * LARGE[1]
    values = {"batch": batch, "windows": found["windows"], "scale": found["scale"]}
    if found["scale"] is None:
        return Sentence(code("learning-rate.conclusion.noise-unseen"), values)
    above = found["scale"] > batch
    return Sentence(code("learning-rate.conclusion", "noise-above" if above else "noise-below"), values)


def _smoothed(losses: list[float | None], batch: int) -> list[float | None]:
    """Means over as many examples as a large update takes, so that both batches are drawn alike."""
    width = max(1, LARGE[0] * LARGE[1] // batch)
    smooth: list[float | None] = []
    for place in range(len(losses)):
        part = [loss for loss in losses[max(0, place + 1 - width) : place + 1] if loss is not None]
        smooth.append(sum(part) / len(part) if part else None)
    return smooth


def _config(plan: tuple[int, int], rate: float) -> dict[str, Any]:
    updates = EXAMPLES // (plan[0] * plan[1])
    return preset(
        "tiny-llama",
        "text-generation",
        "sums",
        plan=plan,
        max_length=32,
        eval_rows=100,
        training={
            "learning_rate": rate,
            "lr_scheduler_type": "constant",
            "max_steps": updates,
            "eval_strategy": "steps",
            "eval_steps": updates,
            "per_device_eval_batch_size": 32,
        },
    )


def _scaled(rule: ScalingRule) -> float:
    return scaled_rate(RATE, SMALL[0] * SMALL[1], LARGE[0] * LARGE[1], rule)


LESSON = Lesson(
    "learning-rate",
    (
        Part("small", "train", _config(SMALL, RATE)),
        *(Part(rule, "train", _config(LARGE, _scaled(rule))) for rule in RULES),
        Part("noise", "noise", _config(LARGE, RATE), {"windows": WINDOWS}),
    ),
    picture,
    conclude,
)
