"""A home whose runs go in two real processes, and what is found of these."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine import RunConfig, Session, Store
from engine.store import Run

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


def launcher() -> psutil.Process | None:
    """What has started the training processes."""
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "engine.launch.agent" in child.cmdline():
                return child
    return None


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


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(tmp_path / "home")
    yield made
    made.session.close()
    made.store.close()
