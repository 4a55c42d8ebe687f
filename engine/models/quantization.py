"""Weights loaded in 8 or 4 bits, by bitsandbytes: they stay as they are, and adapters beside them are trained."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import torch
from transformers import BitsAndBytesConfig

from engine.errors import ConfigError

HEADS = ["lm_head", "classifier", "score", "cls", "qa_outputs", "pre_classifier"]
"""Modules that are loaded whole: a head is trained where it is new, and its numbers decide most where it is not."""

LAYERS = frozenset({"Linear8bitLt", "Linear4bit"})


def loading(bits: str, device: torch.device) -> dict[str, Any]:
    """What `from_pretrained` is told besides. What is not quantised stays in fp32, and 4 bits compute in it."""
    if bits == "8bit":
        # it would say at every layer that it computes in fp16
        warnings.filterwarnings("ignore", message="MatMul8bitLt")
        config = BitsAndBytesConfig(load_in_8bit=True, llm_int8_skip_modules=HEADS)
    else:
        config = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.float32,
            llm_int8_skip_modules=HEADS,
        )
    return {"quantization_config": config, "device_map": {"": device}}


def check_loaded(model: Any, new: Sequence[str], name: str) -> None:
    """Raises ConfigError about `quantization`: nothing was quantised, or a weight that has to be trained was."""
    if not any(type(module).__name__ in LAYERS for module in model.modules()):
        raise ConfigError("quantization.nothing", field="quantization", name=name)
    weights = dict(model.named_parameters())
    for weight in new:
        if not weights[weight].is_floating_point():
            raise ConfigError("quantization.new", field="quantization", name=name, weight=weight)


def whole(model: Any) -> Any:
    """The model in fp32, with the values that its quantised weights stand for."""
    return model.dequantize().float()
