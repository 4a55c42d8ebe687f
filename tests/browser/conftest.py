"""The real program in a real browser. Every page is watched: no request leaves the machine, no error is logged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from engine import ALIVE, KINDS, Session, Store
from tests.browser import chromium
from tests.programs import Program, running

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

OpenPage = Callable[..., Page]


@dataclass(frozen=True)
class Studio:
    """The program, where it is served, and its home."""

    program: Program
    url: str
    home: Path


@contextmanager
def serving(home: Path, *options: str, start: tuple[str, ...] = ("app.py",)) -> Iterator[Studio]:
    """`app.py`, or what `start` names in its place, on `home` and a free port."""
    with running(*start, "--home", str(home), *options) as program:
        yield Studio(program, program.wait_for_line("Birikim is at ").split()[-1], home)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with serving(tmp_path_factory.mktemp("home")) as started:
        yield started


def end_all_runs(home: Path) -> None:
    """Stops what a test left going, so that the next one finds an idle program."""
    store = Store(home)
    try:
        session = Session(store)
        started = [run for kind in KINDS for run in store.runs(kind)]
        for run in started:
            if run.state in ALIVE:
                session.command(run.id, "stop")
        for run in started:
            session.wait(run.id, 60)
    finally:
        store.close()


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    started = playwright.chromium.launch(executable_path=chromium.find(), headless=True, args=FLAGS)
    yield started
    started.close()


@pytest.fixture
def open_page(browser: Browser, studio: Studio) -> Iterator[OpenPage]:
    """Opens pages in profiles that have never been used; `open_page(path, **context options)` waits for `ready`.

    They share the browser, and nothing that a page could keep.
    """
    opened: list[Page] = []
    outside: list[str] = []
    errors: list[str] = []
    with ExitStack() as closing:

        def open_one(
            path: str = "/",
            *,
            url: str | None = None,
            tab_of: Page | None = None,
            ready: str = "#status[data-state]",
            **options: Any,
        ) -> Page:
            if tab_of is not None:
                page = tab_of.context.new_page()
            else:
                context = browser.new_context(**{"viewport": WIDE, **options})
                closing.callback(context.close)
                page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("request", lambda request: outside.extend(_outside(request.url)))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
            opened.append(page)
            page.goto((url or studio.url) + path)
            page.wait_for_selector(ready)
            return page

        open_one.errors = errors  # type: ignore[attr-defined]
        yield open_one
    end_all_runs(studio.home)
    assert not outside
    assert not errors, errors


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Adds what the program said to a failure."""
    report = yield
    studio = getattr(item, "funcargs", {}).get("studio")
    if report.failed and studio:  # type: ignore[attr-defined]
        report.sections.append(("program", studio.program.told()))  # type: ignore[attr-defined]
    return report


def _outside(url: str) -> list[str]:
    inside = re.match(r"(https?://127\.0\.0\.1[:/]|data:|blob:|about:)", url)
    return [] if inside else [url]
