"""Runs of two real processes: started, stepped, stopped, resumed, by a session and by hand."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from engine import RunConfig, Store
from engine.errors import ConfigError
from tests.engine.launched_runs import WAIT, Studio, studio, sums, until
from tests.programs import running

__all__ = ["studio"]

pytestmark = pytest.mark.slow


def test_commands_reach_all_processes_at_the_same_micro_batch_and_another_number_of_them_goes_on(
    studio: Studio,
) -> None:
    run = studio.session.submit(sums(max_steps=100_000))
    assert studio.at(run, 2).plan["effective_batch"] == 8  # type: ignore[index]
    studio.session.command(run, "pause")
    studio.becomes(run, "paused")
    # two of each window's micro-batches are each process's
    studio.session.command(run, "next-update")
    update = studio.at(run, studio.store.run(run).update + 1).update
    until(lambda: studio.store.run(run).state == "paused")
    studio.session.command(run, "next-micro-batch")
    until(
        lambda: (
            [each for each in studio.micro_batches(run) if each[0] == update + 1] == [(update + 1, 1), (update + 1, 2)]
        )
    )
    studio.session.command(run, "next-micro-batch")
    studio.at(run, update + 1)
    told = [each for each in studio.store.micro_batches(run) if each["update"] == update + 1]
    assert [(each["index"], each["of"]) for each in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert all(each["grad_norm"] > 0 for each in told)
    studio.session.command(run, "resume")
    studio.at(run, update + 3)
    until(lambda: "predicted_bytes" in (studio.store.run(run).facts or {}))
    studio.session.command(run, "stop")
    stopped = studio.ended(run)
    assert (stopped.state, stopped.code) == ("stopped", "run.stopped")
    facts = stopped.facts or {}
    assert facts["command"].startswith("accelerate launch --multi_gpu --num_processes 2 ")
    assert [(each["rank"], each["device"]) for each in facts["ranks"]] == [(0, "CPU"), (1, "CPU")]
    assert all(each["peak_bytes"] > 0 for each in facts["ranks"])
    assert facts["predicted_bytes"] > 0

    last = stopped.update
    with pytest.raises(ConfigError) as refusal:
        studio.session.resume(run, sums(processes=1, max_steps=last + 2))
    assert refusal.value.code == "resume.other-processes"
    studio.session.resume(run, sums(processes=1, steps=4, max_steps=last + 2))
    again = studio.ended(run)
    assert (again.state, again.update) == ("finished", last + 2)
    assert "run.resumed-processes" in studio.codes(run)
    examples = [update["examples"] for update in studio.store.updates(run)]
    assert examples == [8] * (last + 2)


def test_a_run_of_two_processes_goes_on_from_a_checkpoint_as_if_nothing_had_been(studio: Studio) -> None:
    config = RunConfig.from_dict(
        {
            **sums(max_steps=6, save_strategy="steps", save_steps=3, eval_strategy="steps", eval_steps=2).to_dict(),
            "lora": {"r": 4, "dropout": 0.3},
        }
    )
    run = studio.session.submit(config)
    assert studio.ended(run).state == "finished"
    before = [(each["update"], each["loss"], each["grad_norm"]) for each in studio.store.updates(run)]
    evaluated = studio.store.run(run).eval_loss
    studio.session.resume(run, from_update=3)
    assert studio.ended(run).state == "finished"
    after = [(each["update"], each["loss"], each["grad_norm"]) for each in studio.store.updates(run)]
    assert after == before
    assert studio.store.run(run).eval_loss == evaluated


def by_hand(config: Path, home: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"),
        *("-m", "engine", "train", str(config), "--home", str(home), *options),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT)


def test_torchrun_by_hand_is_the_same_run(studio: Studio, tmp_path: Path) -> None:
    config = tmp_path / "sums.yaml"
    config.write_text(RunConfig.from_dict({**sums(max_steps=3).to_dict(), "launch": None}).to_yaml())
    done = by_hand(config, tmp_path / "by hand", "--json")
    assert done.returncode == 0, done.stderr[-2000:]
    *updates, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert (last["state"], last["updates"]) == ("finished", 3)
    run = studio.session.submit(sums(max_steps=3))
    studio.ended(run)
    told = [(each["update"], each["loss"], each["targets"]) for each in studio.store.updates(run)]
    assert [(each["update"], each["loss"], each["targets"]) for each in updates] == told
    store = Store(tmp_path / "by hand")
    assert store.run(1).config["launch"] == {"processes": 2}
    store.close()


def test_a_run_ends_whose_other_processes_do_not_come(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name, value in {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MASTER_PORT", str(port))
    failed = studio.session.wait(studio.session.submit(sums(max_steps=1, ddp_timeout=2)), WAIT)
    assert failed.state == "failed"


def test_another_number_of_processes_than_the_config_says_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "sums.yaml"
    config.write_text(sums(processes=3, max_steps=1).to_yaml())
    done = by_hand(config, tmp_path / "home")
    assert done.returncode != 0
    assert "“launch” is 3, and 2 processes were started." in done.stderr


def test_ctrl_c_by_hand_stops_after_the_micro_batch(tmp_path: Path) -> None:
    config, home = tmp_path / "sums.yaml", tmp_path / "home"
    config.write_text(sums(max_steps=100_000).to_yaml())
    command = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m")
    with running(*command, "engine", "train", str(config), "--home", str(home), "--json") as program:
        program.wait_for_line('{"update": 1,', WAIT)
        os.kill(program.process.pid, signal.SIGINT)
        program.wait(60)
    store = Store(home)
    assert store.run(1).state == "stopped"
    store.close()


@pytest.mark.gpu
def test_a_gpu_each_adds_up_what_one_does(studio: Studio) -> None:
    gpus = torch.cuda.device_count()
    if gpus < 2:
        pytest.skip("two GPUs are needed")
    losses = []
    for processes in (1, gpus):
        values = {**sums(processes=processes, steps=gpus // processes, max_steps=3).to_dict(), "device": "cuda"}
        run = studio.session.submit(RunConfig.from_dict(values))
        assert studio.ended(run).state == "finished"
        losses.append([update["loss"] for update in studio.store.updates(run)])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
