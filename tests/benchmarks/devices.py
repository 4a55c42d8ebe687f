"""Two processes on the CPU against one with the same rows an update: tokens a second, and the memory of each.

    python -m tests.benchmarks.devices [ROUNDS]

One process computes with all cores, each of two with half of them. The memory of a process is the peak of its heap
above what it held before the first forward pass, but for the weights.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine import RunConfig, Session, Store
from engine.memory.predict import Predictor

ROUNDS = 5
UPDATES, WARM_UP = 10, 3

FSDP = """
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config: {fsdp_version: 2, fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP, fsdp_reshard_after_forward: true, fsdp_cpu_ram_efficient_loading: false}
mixed_precision: 'no'
num_machines: 1
num_processes: 2
use_cpu: true
"""  # noqa: E501

WAYS: dict[str, dict[str, Any]] = {
    "one process": {},
    "two, DDP": {"launch": {"processes": 2}},
    "two, FSDP 2": {"launch": {"accelerate_config": "fsdp.yaml"}},
}


def config(way: str, folder: Path) -> RunConfig:
    chosen = dict(WAYS[way])
    if "accelerate_config" in chosen.get("launch", {}):
        (folder / "fsdp.yaml").write_text(FSDP)
        chosen["launch"] = {"accelerate_config": str(folder / "fsdp.yaml")}
    return RunConfig.from_dict(
        {
            "model": "minilm",
            "task": "text-classification",
            "data": {"name": "stdlib-docstrings", "max_length": 128},
            "device": "cpu",
            "training": {
                "per_device_train_batch_size": 8,
                "gradient_accumulation_steps": 2 if chosen else 4,
                "max_steps": UPDATES,
                "seed": 1,
            },
            **chosen,
        }
    )


def tokens_a_second(updates: list[dict[str, Any]]) -> float:
    first, last = updates[WARM_UP - 1], updates[-1]
    return float((last["total_tokens"] - first["total_tokens"]) / (last["seconds"] - first["seconds"]))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    speeds: dict[str, list[float]] = {way: [] for way in WAYS}
    peaks: dict[str, list[int]] = {way: [] for way in WAYS}
    os.environ.pop("OMP_NUM_THREADS", None)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "home")
        session = Session(store)
        session.start()
        try:
            for _ in range(rounds):
                for way in WAYS:
                    run = session.wait(session.submit(config(way, Path(folder)), own_code=True), 600)
                    assert run.state == "finished", (run.code, run.message)
                    facts = run.facts or {}
                    updates = store.updates(run.id)
                    speeds[way].append(tokens_a_second(updates))
                    found = [each["peak_bytes"] for each in facts.get("ranks", ())]
                    found = found or [max(update["memory"] for update in updates)]
                    peaks[way].append(max(found) - facts["baseline_bytes"])
        finally:
            session.close()
            store.close()
        accounts = {
            way: Predictor(chosen, cache=Path(folder)).account(chosen.micro_batch, chosen.accumulation_steps)
            for way in WAYS
            if (chosen := config(way, Path(folder)))
        }
    alone = speeds["one process"]
    print(f"{UPDATES} updates of 32 rows, minilm, {rounds} rounds; the first {WARM_UP} updates are warm-up")
    for way in WAYS:
        ratio = statistics.median(mine / theirs for mine, theirs in zip(speeds[way], alone, strict=True))
        peak, predicted = statistics.median(peaks[way]), accounts[way].peak_bytes
        print(
            f"{way:12}  {statistics.median(speeds[way]):7.0f} tokens/s  {ratio:5.2f} ×  "
            f"peak of each {peak / 2**20:5.0f} MiB, predicted {predicted / 2**20:5.0f} MiB ({peak / predicted:.2f})"
        )


if __name__ == "__main__":
    main()
