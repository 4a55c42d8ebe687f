"""A model folder at a glance: is everything there that loading needs? Reads one small file, imports no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import ConfigError
from engine.trust import trusted

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"

PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
"""Read where the command line says so."""

# Formats that run code when they are read, or are not made for training.
OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx", ".gguf", ".pkl")

TOKENIZERS = (
    "tokenizer.json", "tokenizer_config.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
    "vocab.json", "vocab.txt",
)  # fmt: skip


def check_folder(folder: Path, name: str) -> None:
    """Raises ConfigError about `model`, with what the folder lacks."""
    config = _json(folder / "config.json", name, "model.no-config")
    if not isinstance(config.get("model_type"), str):
        raise ConfigError("model.no-type", field="model", name=name)
    if "quantization_config" in config:
        raise ConfigError("model.quantized", field="model", name=name)
    if (folder / INDEX).is_file():
        shards = _json(folder / INDEX, name, "model.no-weights").get("weight_map", {})
        missing = sorted({shard for shard in shards.values() if not (folder / shard).is_file()})
        if missing:
            raise ConfigError("model.missing-file", field="model", name=name, file=missing[0])
    elif not (folder / WEIGHTS).is_file() and not (trusted().pickle and _pickled(folder)):
        others = sorted(path.name for path in folder.iterdir() if path.suffix in OTHER_WEIGHTS)
        if others:
            raise ConfigError("model.other-weights", field="model", name=name, file=others[0])
        raise ConfigError("model.no-weights", field="model", name=name)
    if not any((folder / file).is_file() for file in TOKENIZERS):
        raise ConfigError("model.no-tokenizer", field="model", name=name)


def _pickled(folder: Path) -> bool:
    return any((folder / file).is_file() for file in (PICKLED, PICKLED_INDEX))


def _json(path: Path, name: str, missing: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(missing, field="model", name=name) from None
    except (OSError, ValueError) as error:
        raise ConfigError("model.broken", field="model", name=name, reason=f"{path.name}: {error}") from None
    if not isinstance(content, dict):
        raise ConfigError("model.broken", field="model", name=name, reason=f"{path.name} is no JSON object")
    return content
