"""The model that a run has left, and the one that it began with; both on the CPU, so that no run's device is taken."""

from __future__ import annotations

import math
from pathlib import Path

import psutil
import torch
from safetensors import safe_open
from transformers import AutoConfig, AutoTokenizer

from engine import models
from engine.config import RunConfig
from engine.config.byte_size import size_text
from engine.errors import RunError, reason_of
from engine.models import BUILT_IN, Loaded
from engine.models.pretrained import ensure_padding
from engine.models.quiet import quiet, seeded
from engine.tasks import get_task


def load_trained(folder: Path, task: str, run: int) -> Loaded:
    """Model and tokenizer of a run's `model/` in fp32: safetensors alone, and no code from there.

    Raises RunError `try.no-memory` or `try.unreadable`.
    """
    check_memory(folder)
    try:
        with quiet():
            config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
            model = get_task(task).model_class().from_pretrained(
                folder, config=config, dtype=torch.float32, use_safetensors=True, trust_remote_code=False,
                local_files_only=True,
            )  # fmt: skip
    except MemoryError:
        raise
    except Exception as error:
        raise RunError("try.unreadable", run=run, reason=reason_of(error)) from None
    ensure_padding(tokenizer)
    return Loaded(model.eval(), tokenizer)


def load_base(config: RunConfig, trained: Loaded, cache: Path) -> Loaded:
    """The model as it was before the first update. Raises ConfigError where it can't be had any more."""
    if config.model in BUILT_IN and BUILT_IN[config.model].package is None:
        from engine.models.tiny import around

        # its vocabulary was made of the data, and is the trained model's
        with quiet(), seeded(config.seed):
            loaded = around(trained.tokenizer, config.model, config.task, None, None)
    else:
        loaded = models.load(config.model, config.task, labels=None, texts=(), seed=config.seed, cache=cache)
    loaded.model.eval()
    return loaded


def check_memory(folder: Path) -> None:
    """Whether the weights fit into what is free. Raises RunError `try.no-memory`."""
    needed = int(1.2 * 4 * sum(map(_parameters, folder.glob("*.safetensors"))))
    free = psutil.virtual_memory().available
    if needed > free:
        raise RunError("try.no-memory", needed=size_text(needed), free=size_text(free))


def _parameters(file: Path) -> int:
    try:
        with safe_open(str(file), framework="pt") as weights:
            return sum(math.prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    except Exception:
        return 0  # loading says what is wrong with it
