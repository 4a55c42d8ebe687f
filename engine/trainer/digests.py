"""Short digests of what a checkpoint does not hold, so that a run goes on with the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch

MOST_ROWS = 10_000
MOST_VALUES = 1024


def digest_of_rows(rows: Any, most: int = MOST_ROWS) -> str:
    """Of the number of rows and of up to about `most` of them, spread evenly; empty for a stream."""
    if not hasattr(rows, "__len__"):
        return ""
    digest = hashlib.sha256(str(len(rows)).encode())
    for place in range(0, len(rows), max(1, len(rows) // most)):
        digest.update(json.dumps(rows[place], sort_keys=True, default=str).encode())
    return digest.hexdigest()


def digest_of_frozen(model: torch.nn.Module) -> str:
    """Of the names, shapes and up to `MOST_VALUES` values of each frozen weight; empty where all are trained."""
    digest, any_frozen = hashlib.sha256(), False
    for name, weight in model.named_parameters():
        if not weight.requires_grad:
            any_frozen = True
            flat = weight.detach().reshape(-1)
            some = flat[:: max(1, flat.numel() // MOST_VALUES)].cpu().contiguous()
            digest.update(f"{name} {tuple(weight.shape)} {weight.dtype}".encode())
            digest.update(some.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest() if any_frozen else ""
