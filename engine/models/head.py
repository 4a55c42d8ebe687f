"""What a model's config says of its head: the classes, or that it gives a number."""

from __future__ import annotations

from typing import Any

SINGLE, NUMBER = "single_label_classification", "regression"


def describe_head(config: Any, task: str, labels: tuple[str, ...] | None, problem_type: str | None) -> None:
    """Writes the names of the classes into `config`, and for text-classification what kind of labels a row has.

    Without `labels` a classifier has one output, a number.
    """
    if labels is not None:
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: index for index, label in enumerate(labels)}
    if task == "text-classification":
        config.problem_type = problem_type or (SINGLE if labels else NUMBER)
        if labels is None:
            config.num_labels = 1
