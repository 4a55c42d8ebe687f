"""What a page costs and how far it lags, measured on the real program in real Chromium.

    python -m tests.benchmarks.page [--pairs 10] [--segment 10]

`app.py` is pinned to one core and the browser to the other. Within one run, segments with the page
open and with a blank page take turns; the slow-down is the median over the pairs of the ratio of their
median update times. The page's cost is the browser's CPU time with the page less that with the blank one.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

from engine.config import RunConfig
from tests.browser import chromium
from tests.browser.conftest import FLAGS, WIDE, serving
from tests.browser.person import wait_for_points, wait_for_state

WATCH = """() => {
  const points = () => document.querySelector('#chart-loss .js-plotly-plot').data[0].x;
  window.seen = [];
  let last = points().length;
  setInterval(() => {
    const now = points();
    if (now.length !== last) { last = now.length; window.seen.push([now[now.length - 1], Date.now() / 1000]); }
  }, 10);
}"""

LONG_RUN = RunConfig.from_dict(
    {
        "model": "tiny-llama",
        "task": "text-generation",
        "data": {"name": "python-docs", "max_length": 96},
        "training": {
            "per_device_train_batch_size": 4,
            "gradient_accumulation_steps": 4,
            "max_steps": 100_000,
            "eval_strategy": "no",
        },
    }
)


def median(values: list[float]) -> float:
    return statistics.median(values) if values else float("nan")


class Commits(threading.Thread):
    """Notes when each update becomes readable in the store."""

    def __init__(self, home: Path) -> None:
        super().__init__(daemon=True)
        self.home, self.at, self.over = home, {}, threading.Event()  # type: ignore[var-annotated]

    def run(self) -> None:
        connection = sqlite3.connect(f"file:{self.home / 'birikim.sqlite'}?mode=ro", uri=True)
        last = 0
        while not self.over.wait(0.005):
            for (update,) in connection.execute('SELECT "update" FROM updates WHERE "update" > ?', (last,)):
                self.at[update] = time.time()
                last = max(last, update)
        connection.close()


def cpu_seconds(root: int) -> float:
    total = 0.0
    for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
        try:
            times = process.cpu_times()
            total += times.user + times.system
        except psutil.Error:
            continue
    return total


def browser_pid() -> int:
    mine = psutil.Process().children(recursive=True)
    return next(
        process.pid for process in mine if "chrom" in process.name() and "--type" not in " ".join(process.cmdline())
    )


def updates_between(home: Path, start: float, end: float, commits: Commits) -> list[float]:
    connection = sqlite3.connect(f"file:{home / 'birikim.sqlite'}?mode=ro", uri=True)
    durations = dict(connection.execute('SELECT "update", duration FROM updates'))
    connection.close()
    return [durations[update] for update, at in commits.at.items() if start <= at <= end and update in durations]


def main() -> None:
    parser = argparse.ArgumentParser(description="What a page costs and how far it lags.")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--segment", type=float, default=10.0)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    program_core, browser_core = cores[0], cores[-1]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        home = Path(folder) / "home"
        home.mkdir()
        os.sched_setaffinity(0, {browser_core})
        context = driver.chromium.launch_persistent_context(
            Path(folder) / "profile", executable_path=chromium.find(), headless=True, args=FLAGS, viewport=WIDE
        )
        browser = browser_pid()
        os.sched_setaffinity(0, {program_core})
        os.environ["OMP_NUM_THREADS"] = "1"
        began = time.time()
        with serving(home) as studio:
            up = time.time() - began
            os.sched_setaffinity(0, {browser_core})
            page = context.pages[0]
            page.goto(studio.url)
            page.wait_for_selector("#start:not([disabled])")
            page.wait_for_function("document.querySelector('#arithmetic').innerText.includes('=')")
            usable = time.time() - began
            print(f"app.py to its URL {up:.1f} s, to a usable page {usable:.1f} s")
            start_through_page(page)
            pressed = time.time()
            wait_for_points(page, "loss", 1)
            print(f"Start to the first point {time.time() - pressed:.1f} s (tiny-llama, libraries included)")
            measure(page, studio.url, home, browser, options.pairs, options.segment)
            page.goto(studio.url)
            page.click("#stop")
            wait_for_state(page, "stopped")
        context.close()


def start_through_page(page: Page) -> None:
    """Presses Start with the long run's config in the YAML pane."""
    page.click("#yaml-fold > button")
    page.fill("#yaml textarea", LONG_RUN.to_yaml())
    page.locator("#yaml textarea").blur()
    page.click("#start")


def measure(page: Page, url: str, home: Path, browser: int, pairs: int, segment: float) -> None:
    commits = Commits(home)
    commits.start()
    ratios: list[float] = []
    cost: dict[str, list[float]] = {"page": [], "blank": []}
    for pair in range(pairs):
        halves: dict[str, list[float]] = {}
        for half in ("page", "blank") if pair % 2 else ("blank", "page"):
            page.goto(url if half == "page" else "about:blank")
            if half == "page":
                wait_for_points(page, "loss", 1)
            time.sleep(2)
            start, used = time.time(), cpu_seconds(browser)
            time.sleep(segment)
            end = time.time()
            cost[half].append((cpu_seconds(browser) - used) / (end - start))
            halves[half] = updates_between(home, start, end, commits)
        ratios.append(median(halves["page"]) / median(halves["blank"]))
    page.goto(url)
    wait_for_points(page, "loss", 1)
    page.evaluate(WATCH)
    time.sleep(max(segment, 15))
    seen: list[Any] = page.evaluate("window.seen")
    lags = [at - commits.at[update] for update, at in seen if update in commits.at]
    commits.over.set()
    commits.join()
    open_page, blank = median(cost["page"]), median(cost["blank"])
    print(f"an update takes {median(halves['blank']):.3f} s; {pairs} pairs of {segment:.0f} s")
    print(f"slow-down with one page open {100 * (median(ratios) - 1):+.1f} % (median of the pairs)")
    print(f"  ratios {' '.join(f'{ratio:.3f}' for ratio in sorted(ratios))}")
    print(f"the page's cost {open_page - blank:.3f} core (page {open_page:.3f}, blank {blank:.3f})")
    print(f"an update in the store to its point in the chart {1000 * median(lags):.0f} ms (median of {len(lags)})")


if __name__ == "__main__":
    main()
