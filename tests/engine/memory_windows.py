"""Windows of the built-in models, predicted and measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.memory.account import Account
from engine.memory.measure import measure
from engine.memory.predict import predict
from engine.trainer import Prepared, Progress, prepare

BERT = ("tiny-bert", "text-classification", "sentiment")
LLAMA = ("tiny-llama", "text-generation", "sums")
T5 = ("tiny-t5", "text2text-generation", "numerals")


def config_of(what: tuple[str, str, str], *, length: int = 32, **training: Any) -> RunConfig:
    model, task, data = what
    keys = {
        key: training.pop(key)
        for key in ("packing", "micro_batch_tokens", "loss_normalization", "lora")
        if key in training
    }
    return RunConfig.from_dict(
        {
            "model": model,
            "task": task,
            "data": {"name": data, "max_length": length},
            "training": {
                "per_device_train_batch_size": 8,
                "gradient_accumulation_steps": 3,
                "max_steps": 2,
                "use_cpu": True,
                **training,
            },
            **keys,
        }
    )


def prepared(config: RunConfig, folder: Path) -> Prepared:
    return prepare(config, cache=folder, folder=folder, run=0, emit=lambda event: None, progress=Progress())


def both(config: RunConfig, folder: Path) -> tuple[Account, Account]:
    predicted = predict(config, cache=folder)
    return predicted, measure(prepared(config, folder), config.micro_batch, config.accumulation_steps)
