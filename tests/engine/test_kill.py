"""kill -9 in the middle of a real run: what was said of an update is there afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import RunConfig, Session, Store
from tests.programs import running

LONG = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32}
training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 2, max_steps: 100000}
"""


@pytest.mark.slow
@pytest.mark.parametrize("last", [1, 7])
def test_a_killed_run_is_interrupted_keeps_its_updates_and_the_next_run_trains(last: int, tmp_path: Path) -> None:
    config, home = tmp_path / "long.yaml", tmp_path / "home"
    config.write_text(LONG)
    with running("-m", "engine", "train", str(config), "--home", str(home), "--json") as program:
        program.wait_for_line(f'{{"update": {last},')
        program.process.kill()
        program.wait(30)
    said = [json.loads(line) for line in program.lines]
    store = Store(home)
    session = Session(store)
    try:
        run = store.run(1)
        assert (run.state, run.code) == ("interrupted", "run.interrupted")
        kept = store.updates(1)
        assert len(kept) >= len(said) >= last
        assert [row["loss"] for row in kept[: len(said)]] == [row["loss"] for row in said]
        assert [row["update"] for row in kept] == list(range(1, len(kept) + 1))
        session.start()
        again = RunConfig.from_dict({**run.config, "training": {**run.config["training"], "max_steps": 1}})
        assert session.wait(session.submit(again), 120).state == "finished"
    finally:
        session.close()
        store.close()
