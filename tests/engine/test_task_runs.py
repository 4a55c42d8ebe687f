"""A short real run of each task, from the command line: it ends finished, and the loss falls."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from engine import Store
from engine.cli import app

RUNS = {
    "fill-mask": ("tiny-bert", {"name": "sums"}, {"perplexity", "accuracy"}),
    "token-classification": ("tiny-bert", {"name": "entities"}, {"accuracy", "micro_f1"}),
    "text2text-generation": ("tiny-t5", {"name": "numerals"}, {"perplexity", "accuracy"}),
    "several classes": ("tiny-bert", {"name": "reviews"}, {"micro_f1", "label_accuracy"}),
    "a number": ("tiny-bert", {"name": "reviews", "problem_type": "regression"}, {"mean_squared_error"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_a_short_run_ends_finished_and_its_loss_falls(run: str, tmp_path: Path) -> None:
    model, data, metrics = RUNS[run]
    config = {
        "model": model,
        "task": run if "-" in run else "text-classification",
        "data": {**data, "max_length": 32, "eval_rows": 16},
        "training": {
            "per_device_train_batch_size": 4,
            "gradient_accumulation_steps": 2,
            "max_steps": 16,
            "learning_rate": 1e-3,
            "eval_strategy": "steps",
            "eval_steps": 16,
        },
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(config))
    done = CliRunner().invoke(app, ["train", str(tmp_path / "run.yaml"), "--home", str(tmp_path / "home"), "--json"])
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    updates = [line for line in lines if "update" in line]
    assert (lines[-1]["state"], len(updates)) == ("finished", 16)
    losses = [update["loss"] for update in updates]
    assert sum(losses[-4:]) < sum(losses[:4])
    store = Store(tmp_path / "home")
    try:
        [recorded] = store.runs()
    finally:
        store.close()
    assert set(recorded.eval_metrics) == metrics
