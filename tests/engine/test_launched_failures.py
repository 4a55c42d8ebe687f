"""Whatever may happen to one of the processes of a run: it ends in bounded time, says which one, and leaves none."""

import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from engine import RunConfig, Store
from tests.engine.launched_runs import WAIT, Studio, free_port, launcher, machine, ranks, studio, sums, until
from tests.programs import running

__all__ = ["studio"]

pytestmark = pytest.mark.slow


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
