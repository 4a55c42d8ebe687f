"""What every test stands on: no network, a home of its own, and nothing left behind."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCRATCH = Path(tempfile.mkdtemp(prefix="birikim-tests-"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.update(
    BIRIKIM_HOME=str(SCRATCH / "home"),
    HF_HOME=str(SCRATCH / "hugging-face"),
    HF_HUB_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    GRADIO_ANALYTICS_ENABLED="False",
    TOKENIZERS_PARALLELISM="false",
)

import psutil  # noqa: E402 (the environment comes first: libraries read it when imported)
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("birikim", deadline=None)
settings.load_profile("birikim")

GRACE = 10.0
"""Seconds that a process or thread may take to end after its test."""


def pytest_unconfigure() -> None:
    shutil.rmtree(SCRATCH, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """GPU tests run wherever a GPU is at hand; elsewhere their number is printed at the end."""
    need = [item for item in items if item.get_closest_marker("gpu")]
    if need and not _gpu():
        config.hook.pytest_deselected(items=need)
        items[:] = [item for item in items if item not in need]
        config.stash[WITHOUT_GPU] = len(need)


def pytest_collection_finish() -> None:
    """Each training begins with a collection of garbage, which would go through all of the libraries: 0.3 s a run.

    What was imported to collect the tests is left out of it from here on; what a test makes is collected as ever.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker leaves out what the others leave out: its number is that of all."""
    node.config.stash[WITHOUT_GPU] = node.workeroutput.get(LEFT_OUT, 0)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output[LEFT_OUT] = session.config.stash.get(WITHOUT_GPU, 0)


WITHOUT_GPU = pytest.StashKey[int]()
LEFT_OUT = "tests left out for want of a GPU"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if number := config.stash.get(WITHOUT_GPU, 0):
        terminalreporter.write_line(f"{number} GPU tests were left out: no CUDA or MPS device is at hand here.")


def _gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available() or torch.backends.mps.is_available())


def _children() -> set[psutil.Process]:
    found = set()
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE and not _kept(child):
                found.add(child)
        except psutil.NoSuchProcess:
            continue
    return found


def _kept(child: psutil.Process) -> bool:
    """Whether it ends with its own parent: Python's tracker, what answers a program or helps a browser that runs."""
    command = " ".join(child.cmdline())
    return "resource_tracker" in command or (
        (".answering" in command or "--type=" in command) and child.ppid() != os.getpid()
    )


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.daemon}


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test that leaves a child process or a non-daemon thread alive."""
    children, threads = _children(), _threads()
    yield
    deadline = time.monotonic() + GRACE
    while (left := [*(_children() - children), *(_threads() - threads)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    for each in left:
        if isinstance(each, psutil.Process):
            each.kill()
    assert not left, f"left behind: {left}"
