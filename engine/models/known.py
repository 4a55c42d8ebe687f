"""Which class of transformers serves a task, by a model's type; read from the installed source without importing it.

Importing the classes would load torch (seconds); parsing their file takes a quarter of a second, once a process.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_TABLES = {
    "text-generation": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "text-classification": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "fill-mask": "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "token-classification": "MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES",
    "text2text-generation": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
}


def class_for(model_type: str, task: str) -> str | None:
    """The name of the class with the head of `task`; None where transformers has none for this type."""
    return _classes().get(task, {}).get(model_type)


def is_known(model_type: str) -> bool:
    """Whether transformers has a class of this type for any of our tasks."""
    return any(model_type in table for table in _classes().values())


@cache
def _classes() -> dict[str, dict[str, str]]:
    spec = find_spec("transformers")
    assert spec and spec.submodule_search_locations, "transformers is a dependency"
    file = Path(spec.submodule_search_locations[0]) / "models" / "auto" / "modeling_auto.py"
    found: dict[str, dict[str, str]] = {}
    tasks = {table: task for task, table in _TABLES.items()}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        task = tasks.get(node.targets[0].id)
        if task and isinstance(node.value, ast.Call):
            pairs = ast.literal_eval(node.value.args[0])
            # of several classes the first is the one that is taken
            found[task] = {kind: name if isinstance(name, str) else name[0] for kind, name in pairs}
    return found
