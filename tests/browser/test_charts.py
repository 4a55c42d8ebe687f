"""The charts: current with the numbers above them, alike side by side, and readable at any size of value."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.person import graph, points, set_up, start, stop, wait_for_points, wait_for_state, wait_for_update
from tests.browser.test_scripts import call

pytestmark = [pytest.mark.browser, pytest.mark.slow]

IN_STEP = """() => {
  const [, update] = document.querySelector('#status .place').innerText.match(/update ([\\d,]+)/);
  const graphs = [...document.querySelectorAll('.js-plotly-plot')].filter((g) => !g.closest('#chart-memory'));
  return graphs.every((g) => g.data[0].x.at(-1) === Number(update.replace(',', '')));
}"""
RANGES = "() => [...document.querySelectorAll('.js-plotly-plot')].map((g) => g._fullLayout.xaxis.range.join())"


def within_a_second(page: Page) -> None:
    page.wait_for_function(IN_STEP, timeout=2000)  # a second, and as much again for a busy machine


def test_charts_are_current_as_soon_as_the_run_holds_and_share_one_stretch_of_x(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    start(page)
    wait_for_update(page, 8)
    wait_for_points(page, "loss", 8)
    page.click("#pause")
    wait_for_state(page, "paused")
    within_a_second(page)
    held = points(page)
    page.click("#next-update")
    wait_for_update(page, held + 1)
    within_a_second(page)
    page.wait_for_function(f"() => new Set(({RANGES})()).size === 1")
    assert page.evaluate(RANGES)[0].startswith("0,")
    page.click("text=Log scale")
    page.wait_for_function("() => document.querySelector('#chart-loss .js-plotly-plot').layout.yaxis.type === 'log'")
    assert graph(page, "loss", "g.querySelectorAll('.ytick').length") >= 3
    assert "examples: 8 throughout." in (page.text_content("#chart-batch .read") or "")
    stop(page)


POWERS = {"tickformat": ".2~e", "labelalias": {"0e+0": "0"}}
TICKS: list[tuple[str, bool, list[float], dict[str, Any]]] = [
    ("rate", False, [0, 3e-4], POWERS),
    ("number", False, [0, 1e6], POWERS),
    ("number", False, [0, 2e-5], POWERS),
    ("number", False, [1.2, 2.1], {}),
    ("number", False, [], {}),
    ("count", False, [0, 25_000], {"tickformat": "~s"}),
    ("count", False, [0, 0.4], {}),
    ("number", True, [1.2, 2.1], {"tickformat": ".3~g"}),
    ("number", True, [0.1, 2.1], {"tickformat": ".3~g", "dtick": "D2"}),
]


def test_tick_labels_are_short_and_alike(open_page: OpenPage) -> None:
    page = open_page()
    for kind, logarithmic, values, ticks in TICKS:
        assert call(page, "axes", "ticksOf", kind, logarithmic, [values]) == ticks, (kind, logarithmic, values)
