"""The lessons' words in English: parts, columns, series, conclusions. `{name:unit}` is a number as `Unit` means it."""

from __future__ import annotations

GENERAL: dict[str, str] = {
    "lesson.column.plan": "micro-batch × steps",
    "lesson.column.activations": "activations",
    "lesson.column.rest": "all else",
    "lesson.column.peak": "peak",
    "lesson.column.memory": "memory at the peak",
    "lesson.column.error": "relative error",
    "lesson.column.cosine": "cosine",
    "lesson.column.norm": "norm",
    "lesson.column.apart": "loss curve apart",
    "lesson.column.update": "update",
    "lesson.column.loss": "loss",
    "lesson.series.weights": "weights",
    "lesson.series.gradients": "gradients",
    "lesson.series.optimizer": "optimizer state",
    "lesson.series.activations": "activations",
    "lesson.series.other": "other",
}

WHY: dict[str, str] = {
    "lesson.why.part.plans": "One window of each plan, measured",
    "lesson.why.conclusion.activations": (
        "From {large} to {small} the activations fell from {activations_large:bytes} to {activations_small:bytes}, "
        "{activations_ratio:ratio} less; weights, gradients and optimizer state are as they were, and both plans take "
        "{rows:count} rows into one update."
    ),
    "lesson.why.conclusion.activations-same": (
        "The activations did not fall here: {activations_large:bytes} at {large}, {activations_small:bytes} at {small}."
    ),
    "lesson.why.conclusion.peak": (
        "So the peak went from {peak_large:bytes} to {peak_small:bytes}, {saved:share} less. Accumulation buys a batch "
        "that would not fit, and cannot push the peak below what has to stay: {rest_small:bytes} here."
    ),
    "lesson.why.conclusion.peak-same": (
        "The peak hardly moved: {peak_large:bytes} at {large}, {peak_small:bytes} at {small}. What stays whatever the "
        "micro-batch, {rest_small:bytes}, outweighs the activations in this model."
    ),
    "lesson.why.conclusion.did-not-fit": "{plan} did not fit into this machine at all.",
}

SAME_UPDATE: dict[str, str] = {
    "lesson.same-update.part.proof": "Gradients of four plans, then twelve updates of each",
    "lesson.same-update.conclusion.exact": (
        "All {plans:count} plans gave the gradient of one batch of {rows:count} rows and {targets:count} targets. The "
        "largest difference, at {plan}, is {error:error}: fp32 rounding, from adding the same numbers in another order."
    ),
    "lesson.same-update.conclusion.off": (
        "Not every plan gave the large batch's gradient: {plan} is off by {error:error}. The proof names the cause in "
        "the Prove tab."
    ),
    "lesson.same-update.conclusion.together": (
        "And the training goes the same way: over {updates:count} updates the loss curves are nowhere further apart "
        "than {apart:error}."
    ),
    "lesson.same-update.conclusion.apart": (
        "Over {updates:count} updates the loss curves came apart by up to {apart:error}: equal up to rounding at the "
        "first update, rounding grows from update to update, and here it can be seen."
    ),
}

ENGLISH = {**GENERAL, **WHY, **SAME_UPDATE}
