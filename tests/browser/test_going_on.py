"""A person stops a run and goes on with it later, in the page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.person import graph, set_up, start, stop, wait_for_points, wait_for_state, wait_for_update

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_stopped_run_goes_on_at_a_click_and_its_curve_goes_on_with_it(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    run = start(page)
    wait_for_update(page, 3)
    assert not page.locator("#resume-run").is_visible()
    stop(page)
    page.wait_for_selector("#resume-run:enabled")
    assert page.inner_text("#resume-run") == "Go on"
    update = int(page.inner_text("#status .place").split("checkpoint after update ")[1].split()[0].replace(",", ""))
    assert page.get_attribute("#resume-run", "title") == f"Train on from the checkpoint after update {update:,}"
    before = graph(page, "loss", "g.data[0].y")
    page.click("#resume-run")
    wait_for_state(page, "running")
    wait_for_points(page, "loss", update + 3)
    assert f"run {run}" in page.inner_text("#status")
    assert graph(page, "loss", "g.data[0].y")[:update] == before
    assert f"Went on from the checkpoint after update {update}" in page.inner_text(".notices")
    assert not page.locator("#resume-run").is_visible()
    stop(page)
    # and on a phone, after a reload
    small = open_page(viewport=PHONE, has_touch=True)
    small.wait_for_selector("#resume-run:enabled")
    assert small.evaluate("document.documentElement.scrollWidth <= innerWidth")
