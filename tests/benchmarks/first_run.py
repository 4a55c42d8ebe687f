"""The run that a first press of Start makes, and SmolLM2 on python-docs: losses, evaluations, time.

python -m tests.benchmarks.first_run
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from engine import RunConfig, Session, Store

SMOLLM2 = RunConfig.from_dict(
    {
        "model": "smollm2",
        "task": "text-generation",
        "data": {"name": "python-docs", "max_length": 96, "eval_rows": 24},
        "training": {
            "per_device_train_batch_size": 2,
            "gradient_accumulation_steps": 4,
            "learning_rate": 1e-4,
            "max_steps": 12,
            "eval_strategy": "steps",
            "eval_steps": 6,
        },
    }
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        session = Session(store)
        session.start()
        for config in (RunConfig.default(), SMOLLM2):
            began = time.perf_counter()
            run = session.wait(session.submit(config), 1800)
            took = time.perf_counter() - began
            losses = [update["loss"] for update in store.updates(run.id)]
            print(f"{config.model} on {config.data.name}: {run.state} after {run.update} updates, {took:.0f} s in all")
            print(f"  loss {losses[0]:.3f} to {losses[-1]:.3f}")
            for row in store.evaluations(run.id):
                values = ", ".join(f"{name} {value:.3f}" for name, value in row["metrics"].items())
                print(f"  evaluation after {row['update']} updates: loss {row['loss']:.3f}, {values}", flush=True)
        session.close()
        store.close()


if __name__ == "__main__":
    main()
