"""Models by name: built in, a folder, or an id on the Hub; each with the head that the task needs.

Importing this package imports no torch: a name is checked before the training libraries are loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.errors import ConfigError
from engine.models import hub_model
from engine.models.built_in import BUILT_IN, BuiltIn, folder_of
from engine.models.card import chats, model_card
from engine.models.folder import check_folder
from engine.models.loaded import Loaded, Quantization, architecture
from engine.models.local import cached_models
from engine.models.names import Kind, kind_of
from engine.tasks import get_task

__all__ = [
    "BUILT_IN",
    "BuiltIn",
    "Loaded",
    "Quantization",
    "architecture",
    "cached_models",
    "check",
    "has_chat_template",
    "load",
    "model_card",
]


def check(name: str, task: str) -> None:
    """Whether the model can be had and can serve the task, as far as a glance tells; asks no network.

    Raises ConfigError about `model`: a misspelt name, a package that is not installed, a folder without a
    model, weights of another format; or about `task`, where a built-in model has no head for it.
    """
    get_task(task)
    kind = kind_of(name)
    if kind is Kind.BUILT_IN:
        BUILT_IN[name].check(task)
    elif kind is Kind.FOLDER:
        check_folder(Path(name).expanduser(), name)
    else:
        hub_model.check(name)


def has_chat_template(name: str) -> bool | None:
    """Whether the tokenizer of the model can lay out a conversation; None where that is not known before a download.

    Asks no network. Raises ConfigError as `kind_of`.
    """
    kind = kind_of(name)
    if kind is Kind.BUILT_IN:
        return bool(model_card(name, BUILT_IN[name].tasks[0])["chat_template"])
    if kind is Kind.FOLDER:
        return chats(Path(name).expanduser())
    folder = hub_model.cached(name)
    try:
        if folder is not None:
            check_folder(folder, name)
    except ConfigError:  # the download was cut off, and goes on when the run starts
        return None
    return None if folder is None else chats(folder)


def load(
    name: str,
    task: str,
    *,
    labels: tuple[str, ...] | None,
    problem_type: str | None = None,
    texts: Sequence[str],
    seed: int,
    cache: Path,
    quantization: Quantization | None = None,
) -> Loaded:
    """The model in fp32 on the CPU, with its tokenizer; with `quantization` in so many bits, on its device.

    `labels` are the names of the classes, for a task that has some; `problem_type` is that of the data. `texts` is
    what a tiny model's tokenizer is trained on. New weights follow from `seed` alone; the global random state is as
    before. What has to be converted is kept under `cache`. A Hub model is looked for in the local cache first, and
    asked of the Hub for a few seconds at most.

    Raises ConfigError as `check`, and where the weights can't be read or the architecture has no head for the task.
    """
    from engine.models.quiet import quiet, seeded

    check(name, task)
    with quiet(), seeded(seed):
        kind = kind_of(name)
        if kind is Kind.BUILT_IN and BUILT_IN[name].package is None:
            if quantization:
                raise ConfigError("quantization.in-code", field="quantization", name=name)
            from engine.models.tiny import build

            return build(name, task, labels, problem_type, texts)
        if kind is Kind.BUILT_IN:
            folder = folder_of(name, cache)
        elif kind is Kind.FOLDER:
            folder = Path(name).expanduser()
        else:
            folder = hub_model.fetch(name)
        from engine.models.pretrained import load_folder

        loaded = load_folder(folder, name, task, labels, problem_type, quantization)
        if kind is Kind.HUB:
            # what is saved beside it names it so, and no folder of this machine
            loaded.model.name_or_path = name
        return loaded
