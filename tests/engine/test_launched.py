"""Runs of two real processes: started, stepped, stopped, resumed, and whatever may happen to one of them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from engine import RunConfig, Session, Store
from engine.errors import ConfigError
from engine.store import Run
from tests.programs import running

pytestmark = pytest.mark.slow

SUMS: dict[str, Any] = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32, "eval_rows": 8},
    "device": "cpu",
    "launch": {"processes": 2},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2, "learning_rate": 1e-3, "seed": 3},
}

WAIT = 150.0
"""Seconds that two processes may take to load their libraries, beside other tests."""


def sums(*, processes: int = 2, steps: int = 2, **training: Any) -> RunConfig:
    given = {**SUMS["training"], "gradient_accumulation_steps": steps, **training}
    return RunConfig.from_dict({**SUMS, "launch": {"processes": processes}, "training": given})


def until(there: Callable[[], Any], *, within: float = WAIT) -> Any:
    deadline = time.monotonic() + within
    while not (found := there()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)
    return found


def ranks() -> dict[int, psutil.Process]:
    """The training processes that this one has started, by their numbers."""
    found = {}
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "engine.session.rank" in child.cmdline() and "RANK" in (environment := child.environ()):
                found[int(environment["RANK"])] = child
    return found


class Studio:
    """A session on a home of its own."""

    def __init__(self, home: Path) -> None:
        self.store = Store(home)
        self.session = Session(self.store, predicts=True)
        self.session.start()

    def at(self, run: int, update: int) -> Run:
        """The run once it has done so many updates."""

        def there() -> Run | None:
            found = self.store.run(run)
            assert found.state != "failed", (found.code, found.message)
            return found if found.update >= update else None

        return until(there)  # type: ignore[no-any-return]

    def becomes(self, run: int, state: str) -> None:
        until(lambda: self.store.run(run).state == state)

    def ended(self, run: int) -> Run:
        found = self.session.wait(run, WAIT)
        until(lambda: not ranks(), within=40.0)
        return found

    def micro_batches(self, run: int) -> list[tuple[int, int]]:
        told = self.store.micro_batches(run)
        return [(each["update"], each["index"]) for each in told]

    def codes(self, run: int) -> list[str]:
        return [notice["code"] for notice in self.store.notices(run)]


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(tmp_path / "home")
    yield made
    made.session.close()
    made.store.close()


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


def test_a_process_that_is_killed_ends_the_run_which_goes_on_with_one(studio: Studio) -> None:
    run = studio.session.submit(sums(max_steps=100_000, save_strategy="steps", save_steps=1))
    studio.at(run, 2)
    ranks()[1].kill()
    failed = studio.ended(run)
    assert (failed.state, failed.code) == ("failed", "launch.gone")
    assert failed.values["rank"] == 1
    last = max((failed.facts or {})["checkpoints"])
    studio.session.resume(run, sums(processes=1, steps=4, max_steps=last + 1))
    assert studio.ended(run).state == "finished"


def test_the_first_process_killed_ends_the_run_too(studio: Studio) -> None:
    run = studio.session.submit(sums(max_steps=100_000))
    studio.at(run, 1)
    ranks()[0].kill()
    failed = studio.ended(run)
    assert (failed.state, failed.code) == ("failed", "launch.ended")
    assert (failed.values["rank"], failed.values["how"]) == (0, "signal 9")


def launcher() -> psutil.Process | None:
    """What has started the training processes."""
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "engine.launch.agent" in child.cmdline():
                return child
    return None


def test_without_what_has_started_them_no_process_stays_though_they_have_not_met_yet(studio: Studio) -> None:
    run = studio.session.submit(sums(max_steps=100_000))
    begun = until(lambda: list(found.values()) if len(found := ranks()) == 2 else None)
    launcher().kill()  # type: ignore[union-attr]
    failed = studio.session.wait(run, WAIT)
    assert (failed.state, failed.code, failed.values["how"]) == ("failed", "launch.lost", "signal 9")
    _, left = psutil.wait_procs(begun, timeout=40)
    for each in left:
        each.kill()
    assert not left


def test_a_process_that_hangs_is_waited_for_no_longer_than_the_config_says(studio: Studio) -> None:
    run = studio.session.submit(sums(max_steps=100_000, ddp_timeout=6))
    studio.at(run, 1)
    held = ranks()[1]
    held.suspend()
    try:
        failed = studio.session.wait(run, 60.0)
    finally:
        with suppress(psutil.Error):
            held.resume()
    assert (failed.state, failed.values["rank"]) == ("failed", 1)
    assert failed.code in ("launch.gone", "launch.hangs")
    until(lambda: not ranks(), within=40.0)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("ValueError('nothing to see here')", "nothing to see here"),
        ("torch.OutOfMemoryError('tried to allocate 20.00 GiB')", "ran out of memory"),
    ],
    ids=["a loss that raises", "memory"],
)
def test_what_one_process_fails_of_is_told_with_its_number(
    fault: str, said: str, studio: Studio, tmp_path: Path
) -> None:
    loss = tmp_path / "loss.py"
    loss.write_text(
        "import os\n\nimport torch\n\n"
        "def one_fails(outputs, labels, num_items_in_batch):\n"
        "    if os.environ['RANK'] == '1' and torch.is_grad_enabled():\n"
        f"        raise {fault}\n"
        "    return outputs.logits.sum() / num_items_in_batch\n"
    )
    config = RunConfig.from_dict({**sums(max_steps=3).to_dict(), "loss": f"{loss}:one_fails"})
    failed = studio.ended(studio.session.submit(config, own_code=True))
    assert (failed.state, failed.code, failed.values["rank"]) == ("failed", "launch.failed", 1)
    assert said in failed.message


@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_failure_that_reads_like_one_of_the_connection_is_told_as_what_it_is(
    studio: Studio, tmp_path: Path, rank: str
) -> None:
    trainer = tmp_path / "trainer.py"
    trainer.write_text(
        "import os\n\n"
        "from transformers import Trainer\n\n\n"
        "class OneFails(Trainer):\n"
        "    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):\n"
        f"        if self.state.global_step and os.environ['RANK'] == '{rank}':\n"
        "            raise RuntimeError('DataLoader timed out after 5 seconds')\n"
        "        return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)\n"
    )
    config = RunConfig.from_dict({**sums(max_steps=100).to_dict(), "trainer": f"{trainer}:OneFails"})
    failed = studio.ended(studio.session.submit(config, own_code=True))
    assert (failed.state, failed.code) == ("failed", "run.unexpected" if rank == "0" else "launch.failed")
    assert "DataLoader timed out after 5 seconds" in failed.message


def test_a_program_that_dies_takes_its_processes_with_it(tmp_path: Path) -> None:
    config, home = tmp_path / "long.yaml", tmp_path / "home"
    config.write_text(sums(max_steps=100_000).to_yaml())
    with running("-m", "engine", "train", str(config), "--home", str(home), "--json") as program:
        program.wait_for_line('{"update": 1,', WAIT)
        family = psutil.Process(program.process.pid).children(recursive=True)
        program.process.kill()
        program.wait(30)
    gone, left = psutil.wait_procs(family, timeout=40)
    for each in left:
        each.kill()
    assert len(gone) >= 3 and not left
    store = Store(home)
    assert store.run(1).state == "interrupted"
    store.close()


def test_processes_that_still_wait_for_another_machine_end_with_the_program_too(tmp_path: Path) -> None:
    config, home = tmp_path / "lonely.yaml", tmp_path / "home"
    file = machine(tmp_path, 0, free_port())
    values = {**sums(max_steps=3).to_dict(), "launch": {"accelerate_config": str(file)}}
    config.write_text(RunConfig.from_dict(values).to_yaml())
    with running("-m", "engine", "train", str(config), "--home", str(home)) as program:
        parent = psutil.Process(program.process.pid)
        family = until(lambda: parent.children(recursive=True))
        time.sleep(8.0)  # it waits for the other one by now
        program.process.kill()
        program.wait(30)
    gone, left = psutil.wait_procs(family, timeout=40)
    for each in left:
        each.kill()
    assert gone and not left


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


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def machine(folder: Path, number: int, port: int) -> Path:
    """What `accelerate config` writes for one of two machines, a process on each."""
    file = folder / f"machine-{number}.yaml"
    file.write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_CPU\nnum_machines: 2\nnum_processes: 2\n"
        f"machine_rank: {number}\nmain_process_ip: 127.0.0.1\nmain_process_port: {port}\n"
        "same_network: true\nuse_cpu: true\nmixed_precision: 'no'\n"
    )
    return file


def test_stop_ends_a_wait_for_a_machine_that_does_not_come(studio: Studio, tmp_path: Path) -> None:
    file = machine(tmp_path, 0, free_port())
    config = RunConfig.from_dict({**sums(max_steps=1).to_dict(), "launch": {"accelerate_config": str(file)}})
    run = studio.session.submit(config, own_code=True)
    until(launcher)
    studio.session.command(run, "stop")
    assert studio.session.wait(run, 30.0).state == "stopped"
    assert launcher() is None and not ranks()


def test_two_machines_train_one_run_and_the_loss_of_one_ends_it(studio: Studio, tmp_path: Path) -> None:
    """The machines are two programs on this one, each with a home of its own."""
    port = free_port()
    there = tmp_path / "there.yaml"
    values = {**sums(max_steps=100_000).to_dict(), "launch": None}
    there.write_text(RunConfig.from_dict(values).to_yaml())
    config = RunConfig.from_dict({**values, "launch": {"accelerate_config": str(machine(tmp_path, 0, port))}})
    run = studio.session.submit(config, own_code=True)
    by_accelerate = (
        *("-m", "accelerate.commands.launch", "--multi_gpu"),
        *("--config_file", str(machine(tmp_path, 1, port)), "--module"),
    )
    with running(*by_accelerate, "engine", "train", str(there), "--home", str(tmp_path / "there")) as program:
        found = studio.at(run, 2)
        assert found.plan and (found.plan["processes"], found.plan["effective_batch"]) == (2, 8)
        for each in psutil.Process(program.process.pid).children(recursive=True):
            with suppress(psutil.Error):
                each.kill()
        program.wait(60)
    failed = studio.ended(run)
    assert (failed.state, failed.code, failed.values["rank"]) == ("failed", "launch.gone", 1)


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
