"""A loss or a Trainer of the user's own, from a Python file that a config on disk names."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import Trainer

from engine.config.own_code import parts
from engine.errors import ConfigError, reason_of
from engine.memory.exhausted import is_out_of_memory
from engine.trainer.trainer import AccumulatingTrainer

REPLACED = ("get_train_dataloader", "get_batch_samples", "_run_epoch", "_inner_training_loop", "evaluation_loop")
"""Methods of a Trainer whose place is taken by the loop over windows and the evaluation by targets."""


@dataclass(frozen=True)
class OwnLoss:
    """`call` takes (outputs, labels, num_items_in_batch). `normalised`: it divides by that number itself.

    A function of two arguments is taken as a mean over its micro-batch.
    """

    call: Callable[..., Any]
    normalised: bool


def own_loss(place: str) -> OwnLoss:
    """The loss at `file.py:function`. Runs the file. Raises ConfigError about `loss`."""
    function, path, name = _loaded(place, "loss")

    def refuse(reason: str) -> ConfigError:
        return ConfigError("code.not-a-function", field="loss", name=name, path=path, reason=reason)

    if not callable(function) or isinstance(function, type):
        raise refuse("it is no function")
    signature = inspect.signature(function)
    try:
        signature.bind(None, None, num_items_in_batch=1)
        return OwnLoss(_told(function, path), True)
    except TypeError:
        pass
    try:
        signature.bind(None, None)
    except TypeError as error:
        raise refuse(str(error)) from None
    told = _told(function, path)
    return OwnLoss(lambda outputs, labels, num_items_in_batch=None: told(outputs, labels), False)


def _told(function: Callable[..., Any], path: Path) -> Callable[..., Any]:
    """`function`, whose own failures come with their place in the user's file. Raises ConfigError `code.raised`."""

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Exception as error:
            if is_out_of_memory(error):
                raise
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
            problem = f"{type(error).__name__}: {reason_of(error)}"
            raise ConfigError(
                "code.raised", field="loss", problem=problem, path=path, line=lines[-1] if lines else "?"
            ) from error

    return call


def own_trainer(place: str) -> type[AccumulatingTrainer]:
    """The Trainer subclass at `file.py:Class`, with our loop put before it. Runs the file.

    Raises ConfigError about `trainer`.
    """
    found, path, name = _loaded(place, "trainer")
    if not (isinstance(found, type) and issubclass(found, Trainer) and found is not Trainer):
        raise ConfigError("code.not-a-trainer", field="trainer", name=name, path=path)
    for method in ("compute_loss", "training_step"):
        parameters = inspect.signature(getattr(found, method)).parameters
        spread = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        if "num_items_in_batch" not in parameters and not spread:
            raise ConfigError("code.signature", field="trainer", name=name, path=path, method=method)
    for method in REPLACED:
        if getattr(found, method) is not getattr(Trainer, method):
            raise ConfigError("code.replaced", field="trainer", name=name, path=path, method=method)
    return type(name, (AccumulatingTrainer, found), {})


def _loaded(place: str, field: str) -> tuple[Any, Path, str]:
    path, name = parts(place)
    spec = importlib.util.spec_from_file_location(f"birikim_own_{field}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # classes and pickling look a module up by its name
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except FileNotFoundError:
        raise ConfigError("code.no-file", field=field, path=path) from None
    except Exception as error:
        raise ConfigError("code.fails", field=field, path=path, reason=reason_of(error)) from None
    if not hasattr(module, name):
        raise ConfigError("code.no-name", field=field, path=path, name=name)
    return getattr(module, name), path, name
