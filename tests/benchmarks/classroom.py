"""What fifty viewers of a class cost the training, and how far they lag behind it.

    python -m tests.benchmarks.classroom [--pairs 8] [--segment 10] [--viewers 50]

`app.py --class`, with the training and the students' door, is pinned to one core; the viewers, one real Chromium and
clients that replay its requests, to the other. Within one run, segments with all viewers and with none take turns; the
slow-down is the median over the pairs of the ratio of their median update times. Where other programs keep the machine
busy, the processor time that training and door take for an update says more than the time by the clock. A viewer lags
by the time from an update's commit in the store to its arrival, in Chromium in its loss chart. The reads are those that
one tick of the door makes, as the run grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

from engine import Session, Store, StoreReader
from engine.events import StateChanged
from gui.classroom.shared import Frames
from tests.benchmarks.page import LONG_RUN, WATCH, Commits, median, updates_between
from tests.browser import chromium
from tests.browser.conftest import FLAGS, WIDE, serving
from tests.browser.person import wait_for_points
from tests.engine.store_runs import micro_batch, update

PAUSE = 0.5
"""Seconds that the page waits after an answer (assets/poll.js)."""
PASSWORD = "benchmark"
SUBMITTING = """
import sys
from engine import RunConfig
from gui import launch, studio

build = studio.build

def build_and_submit(session, store, *others, **options):
    session.submit(RunConfig.from_yaml({config!r}))
    return build(session, store, *others, **options)

studio.build = build_and_submit
launch.main(sys.argv[1:])
"""
"""The program with the long run in its queue from the start, so that no page of the teacher is open."""


class Clients(threading.Thread):
    """So many viewers that ask as the page does; notes when each heard of an update first."""

    def __init__(self, port: int, many: int) -> None:
        super().__init__(daemon=True)
        self.port, self.many = port, many
        self.over = threading.Event()
        self.heard: list[tuple[int, float]] = []
        self.answers = self.failed = 0
        self.bytes = 0

    def run(self) -> None:
        asyncio.run(self._all())

    async def _all(self) -> None:
        await asyncio.gather(*(self._one(number) for number in range(self.many)))

    async def _one(self, number: int) -> None:
        await asyncio.sleep(PAUSE * number / max(1, self.many))
        cursor, tick, cookie = "", None, f"birikim-head={number:032d}"
        reader = writer = None
        while not self.over.is_set():
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
                body = json.dumps({"run": None, "cursor": cursor, "tick": tick}).encode()
                head = (
                    f"POST /deltas HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
                    f"Origin: http://127.0.0.1:{self.port}\r\nCookie: {cookie}\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                writer.write(head.encode() + body)
                assert reader is not None
                answer = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(answer.split(b"content-length:")[1].split(b"\r\n")[0])
                told = json.loads(await reader.readexactly(length))
            except (OSError, EOFError, IndexError, ValueError):
                self.failed += 1
                if writer is not None:
                    writer.close()
                reader = writer = None
                await asyncio.sleep(1)
                continue
            now = time.time()
            self.answers += 1
            self.bytes += length
            cursor, tick = told["cursor"], told["tick"]
            if not told["reset"]:
                self.heard += [(update, now) for update in told["updates"]["update"]]
            await asyncio.sleep(PAUSE)
        if writer is not None:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def main() -> None:
    parser = argparse.ArgumentParser(description="What fifty viewers cost, and how far they lag.")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--segment", type=float, default=10.0)
    parser.add_argument("--viewers", type=int, default=50)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        home = Path(folder) / "home"
        home.mkdir()
        os.sched_setaffinity(0, {cores[-1]})
        context = driver.chromium.launch_persistent_context(
            Path(folder) / "profile",
            executable_path=chromium.find(),
            headless=True,
            args=FLAGS,
            viewport=WIDE,
            bypass_csp=True,
        )
        os.sched_setaffinity(0, {cores[0]})
        os.environ.update(OMP_NUM_THREADS="1", BIRIKIM_TEACHER_PASSWORD=PASSWORD)
        script = SUBMITTING.format(config=LONG_RUN.to_yaml())
        with serving(home, "--class", "--host", "127.0.0.1", start=("-c", script)) as studio:
            link = studio.program.wait_for_line("Students watch at ").split()[-1]
            os.sched_setaffinity(0, {cores[-1]})
            measure(context.pages[0], link, home, options.viewers, options.pairs, options.segment)
            end(home)
        context.close()
    with tempfile.TemporaryDirectory() as folder:
        reads_as_the_run_grows(Path(folder))


def measure(page: Page, link: str, home: Path, viewers: int, pairs: int, segment: float) -> None:
    port = int(link.rpartition(":")[2])
    page.set_default_timeout(300_000)
    page.goto(link)
    wait_for_points(page, "loss", 3)
    commits = Commits(home)
    commits.start()
    ratios: list[float] = []
    lags: list[float] = []
    drawn: list[float] = []
    door = door_process()
    program = door.parent()
    assert program
    worked: list[float] = []
    used: list[float] = []
    answers = failed = 0
    for pair in range(pairs):
        halves: dict[str, list[float]] = {}
        each: dict[str, float] = {}
        for half in ("class", "alone") if pair % 2 else ("alone", "class"):
            clients = Clients(port, viewers - 1 if half == "class" else 0)
            page.goto(link if half == "class" else "about:blank")
            clients.start()
            if half == "class":
                wait_for_points(page, "loss", 1)
                page.evaluate(WATCH)
            time.sleep(3)
            start, before, both = time.time(), sum(door.cpu_times()[:2]), processor_time(program, door)
            time.sleep(segment)
            end, both = time.time(), processor_time(program, door) - both
            if half == "class":
                used.append((sum(door.cpu_times()[:2]) - before) / (end - start))
                seen: list[Any] = page.evaluate("window.seen")
                drawn += [at - commits.at[number] for number, at in seen if number in commits.at and at > start]
            clients.over.set()
            clients.join()
            answers, failed = answers + clients.answers, failed + clients.failed
            lags += [at - commits.at[number] for number, at in clients.heard if number in commits.at and at > start]
            halves[half] = updates_between(home, start, end, commits)
            each[half] = both / max(1, len(halves[half]))
        worked.append(each["class"] / each["alone"])
        ratios.append(median(halves["class"]) / median(halves["alone"]))
    commits.over.set()
    commits.join()
    print(f"an update takes {median(halves['alone']):.3f} s; {pairs} pairs of {segment:.0f} s; {viewers} viewers")
    print(f"slow-down with all of them {100 * (median(ratios) - 1):+.1f} % (median of the pairs)")
    print(f"  ratios {' '.join(f'{ratio:.3f}' for ratio in sorted(ratios))}")
    print(f"the processor time of an update, training and door, {100 * (median(worked) - 1):+.1f} %")
    print(f"  ratios {' '.join(f'{ratio:.3f}' for ratio in sorted(worked))}")
    print(f"the students' door takes {median(used):.3f} core (nice 10); {answers} answers, {failed} failed")
    print(f"an update in the store to a client {spread(lags)}; to its point in Chromium's chart {spread(drawn)}")


def spread(lags: list[float]) -> str:
    if len(lags) < 2:
        return "not seen"
    ranked = statistics.quantiles(lags, n=100)
    return f"{median(lags):.2f} s, 99 of 100 within {ranked[98]:.2f} s, at most {max(lags):.2f} s (of {len(lags)})"


def processor_time(*processes: psutil.Process) -> float:
    """Seconds, whatever else the machine is at: on a core of their own, what an update would take."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def door_process() -> psutil.Process:
    mine = psutil.Process().children(recursive=True)
    return next(process for process in mine if "gui.classroom.students" in " ".join(process.cmdline()))


def end(home: Path) -> None:
    """Stops the run, through the store as another program would."""
    store = Store(home)
    try:
        session = Session(store)
        run = store.current_run()
        assert run
        session.command(run.id, "stop")
        session.wait(run.id, 60)
    finally:
        store.close()


def reads_as_the_run_grows(home: Path) -> None:
    """One tick's reading by all who are up to date, and the first one of who comes later."""
    store = Store(home)
    try:
        run = store.create_run({"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}})
        store.write(StateChanged(run=run, state="running", activity="training"))
        reader = StoreReader(home, store.token)
        written = 0
        for length in (100, 1_000, 10_000, 100_000):
            for number in range(written + 1, length + 1):
                store.write(micro_batch(run, number, 1))
                store.write(update(run, number))
            written = length
            store.flush(300)
            print(f"  of {length} updates: {asyncio.run(reading(reader, store, run, length))}")
        reader.close()
    finally:
        store.close()


async def reading(reader: StoreReader, store: Store, run: int, length: int) -> str:
    frames = Frames(reader)
    times: dict[str, list[float]] = {"whole": [], "news": []}
    size = 0
    cursor = ""
    for _ in range(5):
        for name in ("whole", "news"):
            begun = time.process_time()
            frame = await frames._frame(run, cursor if name == "news" else "", 0)
            times[name].append(time.process_time() - begun)
            if name == "whole":
                cursor = json.loads(frame.plain)["cursor"]
            size = len(frame.plain)
    whole, news = (1000 * median(times[name]) for name in ("whole", "news"))
    return f"news {news:.1f} ms and {size} bytes, the whole run {whole:.0f} ms, of processor time"


if __name__ == "__main__":
    main()
