"""Adapters of low rank, by peft: the model's own weights stay as they are, and what is added is trained."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from peft import LoraConfig, PeftModel
from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as KNOWN
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from transformers.pytorch_utils import Conv1D

from engine.config import LoraSpec
from engine.errors import ConfigError, reason_of
from engine.models.loaded import architecture
from engine.models.quantization import LAYERS, whole

CLASSIFIERS = frozenset({"text-classification", "token-classification"})
"""Tasks whose head is made for the data's own classes."""

FUSED = frozenset({"falcon_h1", "falcon_mamba", "mamba", "mamba2", "nemotron_h"})
"""Model types whose kernels read the weight of `out_proj` themselves, past any adapter; peft refuses it there."""


def add_lora(model: Any, spec: LoraSpec, task: str, new: Sequence[str] = ()) -> Any:
    """`model` with adapters: they alone are trainable, and the modules whose weights are not pretrained.

    These are the head of a classifier, and the owners of the weights named in `new`. The adapted layers are those that
    peft names for the model's type, else all linear ones but the head. Nothing is read of the weights, so the model may
    be a fake one; the adapters follow from torch's random state and change no output before the first update.

    Raises ConfigError `model.no-lora`.
    """
    trained = [*(_heads(model) if task in CLASSIFIERS else ())]
    trained += [owner for owner in _owners(model, new) if owner.split(".")[0] not in trained]
    try:
        with _without_warnings(), _among_fakes(model):
            # without a task, peft hands every argument on to the model as it is
            return PeftModel(
                model,
                LoraConfig(
                    r=spec.r,
                    lora_alpha=spec.alpha,
                    lora_dropout=spec.dropout,
                    target_modules=_targets(model, trained),
                    modules_to_save=trained or None,
                ),
            )
    except (ValueError, TypeError, NotImplementedError) as error:
        raise ConfigError(
            "model.no-lora", field="lora", architecture=architecture(model), reason=reason_of(error)
        ) from None


def take_apart(model: Any, folder: Path) -> Any:
    """Writes the adapters to `folder` and returns the whole model with them added to its weights."""
    with _without_warnings():
        model.save_pretrained(folder)
        # a form to fill in, with nothing said
        (folder / "README.md").unlink()
        if getattr(model.get_base_model(), "is_quantized", False):
            # adapters are added to whole numbers: in few bits most of what was learnt would be rounded away
            return PeftModel.from_pretrained(whole(model.unload()), folder).merge_and_unload()
        return model.merge_and_unload()


def take_off(model: Any, folder: Path) -> Any:
    """Writes the adapters to `folder` and returns the model without them; `model` is used up."""
    with _without_warnings():
        model.save_pretrained(folder)
        (folder / "README.md").unlink()
        return model.unload()


def _targets(model: Any, trained: Sequence[str]) -> str | list[str]:
    known: str | list[str] = KNOWN.get(model.config.model_type, [])
    names = [name for name, _ in model.named_modules()]
    if isinstance(known, str) and any(re.fullmatch(known, name) for name in names):
        return known
    if any(name.rpartition(".")[2] in known for name in names):
        return list(known)
    output = model.get_output_embeddings()
    past = "out_proj" if model.config.model_type in FUSED else None
    return [
        name
        for name, module in model.named_modules()
        if _is_linear(module)
        and module is not output
        and name.rpartition(".")[2] != past
        and not _inside(name, trained)
    ]


def _is_linear(module: Any) -> bool:
    """A linear layer that computes as one: some routers of experts are kinds of it and choose besides."""
    if type(module).__name__ in LAYERS:
        return True
    return getattr(type(module), "forward", None) in (torch.nn.Linear.forward, Conv1D.forward)


def _heads(model: Any) -> Iterator[str]:
    """The modules beside the pretrained body."""
    for name, child in model.named_children():
        if child is not model.base_model and any(True for _ in child.parameters()):
            yield name


def _owners(model: Any, weights: Sequence[str]) -> list[str]:
    """The innermost modules of `weights`, but for those that share a weight or hold further modules."""
    holders = Counter(id(weight) for _, weight in model.named_parameters(remove_duplicate=False))
    owners = []
    for name in dict.fromkeys(weight.rpartition(".")[0] for weight in weights):
        module = model.get_submodule(name)
        alone = all(holders[id(weight)] == 1 for weight in module.parameters())
        if alone and not any(True for _ in module.children()):
            owners.append(name)
    return owners


def _inside(name: str, modules: Sequence[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """peft reads names that transformers has put away, and says at length what it decides by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _among_fakes(model: Any) -> Iterator[None]:
    """Lets peft work on fake tensors, which `Module.to` can't move and whose copies would be of another world."""
    if not _is_fake(model):
        yield
        return
    move = torch.nn.Module.to

    def moved(module: torch.nn.Module, *place: Any, **named: Any) -> torch.nn.Module:
        return module if _is_fake(module) else move(module, *place, **named)

    with (
        patch.object(torch.nn.Module, "to", moved),
        patch.object(FakeTensorMode, "__deepcopy__", lambda mode, memo: mode, create=True),
    ):
        yield


def _is_fake(module: torch.nn.Module) -> bool:
    return isinstance(next(module.parameters(), None), FakeTensor)
