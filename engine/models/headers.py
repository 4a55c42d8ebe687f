"""What a safetensors file says of its tensors, without reading any: 8 bytes of length, and so much JSON."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from engine.models.folder import INDEX, WEIGHTS

LONGEST = 100_000_000
"""Bytes of a header: what the format allows."""

NAMES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8", "F8_E5M2": "float8",
    "U8": "uint8", "I8": "int8",
}  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """Numbers in all tensors of floats, the type of most of them, and what the files take on the disk."""

    parameters: int
    dtype: str | None
    bytes: int


def weights_of(folder: Path) -> Weights | None:
    """Of a model folder; None where it holds no safetensors, or one that can't be read."""
    try:
        files = _files(folder)
        counted: Counter[str] = Counter()
        for file in files:
            counted.update(_counted(file))
        size = sum(file.stat().st_size for file in files)
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None
    floats = {kind: count for kind, count in counted.items() if kind in NAMES and not kind.startswith(("U", "I"))}
    if not files:
        return None
    most = max(counted, key=lambda kind: counted[kind], default=None)
    return Weights(sum(floats.values()), NAMES.get(most or ""), size)


def _files(folder: Path) -> list[Path]:
    if (folder / INDEX).is_file():
        shards = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"].values()
        return [folder / shard for shard in sorted(set(shards))]
    return [folder / WEIGHTS] if (folder / WEIGHTS).is_file() else []


def _counted(file: Path) -> Counter[str]:
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if not 0 < length <= LONGEST:
            raise ValueError(length)
        header = json.loads(opened.read(length))
    found: Counter[str] = Counter()
    for name, tensor in header.items():
        if name != "__metadata__":
            found[tensor["dtype"]] += math.prod(tensor["shape"])
    return found
