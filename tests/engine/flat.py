"""A process that reads a large file, trains a little on it, and prints the most memory that it held."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path


def main(path: str, home: str) -> None:
    from engine.config import RunConfig
    from engine.trainer import prepare
    from engine.trainer.progress import Progress

    values = {
        "model": "tiny-bert",
        "task": "text-classification",
        "data": {"path": path, "max_length": 32, "eval_rows": 20},
        "training": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "max_steps": 3},
    }
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    prepared = prepare(
        RunConfig.from_dict(values),
        cache=Path(home) / "cache", folder=Path(home), run=1, emit=lambda event: None, progress=Progress(),
    )  # fmt: skip
    ready = time.perf_counter()
    prepared.trainer.train()
    told = {
        "rows": len(prepared.train),
        "before_mib": before / 1024,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "seconds_to_ready": ready - began,
        "seconds": time.perf_counter() - began,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
