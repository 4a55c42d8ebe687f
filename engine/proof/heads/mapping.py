"""Every head that transformers maps for the tasks: one pair of model class and task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Literal

from engine.errors import ConfigError

ProblemType = Literal["single_label_classification", "multi_label_classification", "regression"]

PROBLEM_TYPES: tuple[ProblemType, ...] = ("single_label_classification", "multi_label_classification", "regression")
"""What the labels of text classification can be: a class, several classes, or a number."""

MAPPINGS = {
    "text-generation": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "fill-mask": "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "token-classification": "MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES",
    "text2text-generation": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "text-classification": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
}
"""The table of transformers that names the model classes of each task, by Hub pipeline name."""

ALSO_CALLED = {"sequence-classification": "text-classification"}
"""As the classes have it in their names."""


@dataclass(frozen=True, order=True)
class Head:
    """A model class that transformers maps for a task; `problem_type` only where the task has several."""

    task: str
    name: str
    model_type: str
    problem_type: ProblemType | None = None


def all_heads() -> list[Head]:
    """Every head, sorted by task in the order of `MAPPINGS` and by name; text classification once a problem type."""
    from transformers.models.auto import modeling_auto

    heads = []
    for task, table in MAPPINGS.items():
        types: dict[str, list[str]] = defaultdict(list)
        for model_type, name in getattr(modeling_auto, table).items():
            types[name].append(model_type)
        for name in sorted(types):
            problems = PROBLEM_TYPES if task == "text-classification" else (None,)
            heads += [Head(task, name, _own_type(name, types[name]), problem) for problem in problems]
    return heads


def matching(*, task: str | None = None, name: str | None = None) -> Callable[[Head], bool]:
    """Whether a head is of `task` and its class fits `name`: all of it, else a part of it, or a pattern with `*`.

    Raises ConfigError `task.unknown`.
    """
    task = ALSO_CALLED.get(task, task) if task else None
    if task is not None and task not in MAPPINGS:
        near = get_close_matches(task, MAPPINGS, n=1) or list(MAPPINGS)
        raise ConfigError("task.unknown", field="--task", name=task, suggestion=" or ".join(near))
    pattern = (name or "*").lower()
    if "*" not in pattern and all(head.name.lower() != pattern for head in all_heads()):
        pattern = f"*{pattern}*"
    return lambda head: task in (None, head.task) and fnmatchcase(head.name.lower(), pattern)


def _own_type(name: str, types: list[str]) -> str:
    """Of the model types that share a class the one that it is named after."""
    spelt = {kind: kind.replace("-", "").replace("_", "") for kind in sorted(types)}
    named = [kind for kind in spelt if name.lower().startswith(spelt[kind])]
    return max(named, key=lambda kind: len(spelt[kind])) if named else min(types)
