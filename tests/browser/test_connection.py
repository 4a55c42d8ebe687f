"""The page when nobody looks at it, and when the program is gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage, Studio, serving
from tests.browser.person import points, set_up, start, wait_for_points, wait_for_state, wait_for_update

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def asked(page: Page, milliseconds: int) -> int:
    """How often the page asks the program within so long."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.wait_for_timeout(milliseconds)
    return sum("component_server" in url for url in requests)


def look_away(page: Page, away: bool) -> None:
    page.evaluate(
        "away => { Object.defineProperty(document, 'hidden', { value: away, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        away,
    )


def test_a_hidden_tab_asks_nothing_and_catches_up_when_looked_at(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    start(page)
    wait_for_update(page, 2)
    look_away(page, True)
    page.wait_for_timeout(1000)
    assert asked(page, 3000) == 0
    look_away(page, False)
    wait_for_update(page, 4)
    wait_for_points(page, "loss", 4)


def test_the_page_says_that_the_program_is_gone_and_comes_back_to_it_by_itself(
    open_page: OpenPage, studio: Studio, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with serving(home) as first:
        page = open_page(url=first.url)
        set_up(page, model="tiny-llama", data="sums", updates=100_000)
        run = start(page)
        page.click("#tab-prove-button")
        page.wait_for_selector("#prove-status[data-state=none]")
        page.click("#tab-train-button")
        wait_for_update(page, 2)
        first.program.process.kill()
        first.program.wait()
        page.wait_for_selector("#status.lost")
        assert page.locator("#stop").is_disabled()
        assert page.get_attribute("#stop", "title") == "The program does not answer."
        assert page.inner_text("#status .state") == "No answer from the program"
        known = r"since \d+:\d\d.* · last known: update \d+ of 100,000 · trying again"
        assert re.fullmatch(known, page.inner_text("#status .place"))
        assert points(page) >= 1
        page.click("#tab-prove-button")
        page.wait_for_selector("#prove-status.lost")
        assert re.fullmatch(r"since \d+:\d\d.* · trying again", page.inner_text("#prove-status .place"))
        assert page.get_attribute("#prove-start", "title") == "The program does not answer."
        page.click("#tab-train-button")
    port = first.url.rsplit(":", 1)[1]
    with serving(home, "--port", port):
        wait_for_state(page, "interrupted")
        assert not page.is_visible("#status.lost")
        assert f"run {run}" in page.inner_text("#status")
        wait_for_points(page, "loss", 2)
        open_page.errors.clear()  # type: ignore[attr-defined]  (a browser logs each refused connection)
        page.close()
