"""`training.report_to`: where a run's values go beside the home folder. By TrainingArguments' names, three of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from engine.errors import ConfigError

REPORTERS = ("tensorboard", "wandb", "trackio")
"""The names that one writes, which are those of the packages as well."""

AT_HOME = frozenset({"tensorboard"})
"""Those that write into the run's own folder; the others send what they are told to somebody else."""

NOBODY: tuple[Any, ...] = ("none", [], ["none"], None)


def check_report_to(value: Any) -> str | list[str] | None:
    """`value` as it was written; None where it asks for nothing. Raises ConfigError about `training.report_to`."""
    if value in NOBODY:
        return None
    if value == "all":
        return "all"
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(name in REPORTERS for name in names):
        shown = ", ".join(map(str, names)) if isinstance(names, list) else str(names)
        raise ConfigError(
            "config.report-to", field="training.report_to", value=shown[:60], choices=", ".join(REPORTERS)
        )
    return value  # type: ignore[no-any-return]


def reporters(training: Mapping[str, Any]) -> list[str]:
    """The reporters of a run, each once. `all` means those whose package is installed.

    Raises ConfigError `training.needs-package` for one that is not.
    """
    value = training.get("report_to")
    if value is None:
        return []
    if value == "all":
        found = [name for name in REPORTERS if find_spec(name)]
        if not found:
            raise ConfigError("training.needs-package", field="training.report_to", package=" or ".join(REPORTERS))
        return found
    names = list(dict.fromkeys([value] if isinstance(value, str) else value))
    for name in names:
        if find_spec(name) is None:
            raise ConfigError("training.needs-package", field="training.report_to", package=name)
    return names
