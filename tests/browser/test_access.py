"""The page for those who use no mouse, see little or nothing, tell few colours apart, or want nothing to move."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.access import check_keyboard, light_fields, nameless, violations
from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.person import open_fold, set_up, start, stop, wait_for_points, wait_for_state, wait_for_update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = 100_000


def tabs(page: Page) -> list[str]:
    return [str(tab.get_attribute("id")) for tab in page.locator("#tabs [role=tab]").all() if tab.is_visible()]


def drawn(page: Page) -> None:
    """Charts are drawn as they come into view, which on a phone they do not by themselves."""
    page.locator("#chart-loss").scroll_into_view_if_needed()
    page.wait_for_selector("#chart-loss .js-plotly-plot", state="attached")


def each_tab(page: Page, look: Callable[[], list[str]]) -> dict[str, list[str]]:
    found = {}
    for tab in tabs(page):
        page.click(f"#{tab}")
        page.wait_for_timeout(1200)  # what it shows has been asked for and has come
        found[tab] = look()
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_wrong_in_any_tab(open_page: OpenPage, viewport: dict[str, int], theme: str) -> None:
    page = open_page(viewport=viewport, color_scheme=theme)
    drawn(page)
    found = each_tab(page, lambda: violations(page) + (light_fields(page) if theme == "dark" else []))
    assert len(found) >= 5
    assert not any(found.values()), found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_wrong_while_a_run_is_watched_and_after_it(open_page: OpenPage, theme: str) -> None:
    page = open_page(color_scheme=theme)
    set_up(page, model="tiny-llama", data="sums", updates=LONG)
    for fold in ("savers", "dealing", "advanced", "yaml-fold", "preview-fold"):
        open_fold(page, fold)
    start(page)
    wait_for_update(page, 1)
    page.click("#pause")
    wait_for_state(page, "paused")
    page.click("#next-update")
    page.wait_for_function("() => document.querySelector('#player-film')?.checkVisibility()")
    page.wait_for_timeout(2000)
    assert violations(page) == []
    stop(page)
    page.wait_for_selector("#take-model", state="visible")
    found = each_tab(page, lambda: violations(page))
    assert not any(found.values()), found


def test_axe_does_find_what_is_wrong(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("document.querySelector('.masthead').append(document.createElement('button'))")
    page.evaluate("document.querySelector('.masthead p').style.color = '#aaaaaa'")
    found = " ".join(violations(page))
    assert "button-name" in found and "color-contrast" in found


@pytest.mark.parametrize("tab", ["train", "prove", "memory", "learn", "explore", "runs"])
def test_tab_reaches_every_control_in_the_order_of_the_page_and_shows_where_it_is(
    open_page: OpenPage, tab: str
) -> None:
    page = open_page(f"/?tab={tab}", ready=f"#tab-{tab}-button[aria-selected=true]")
    if tab == "train":
        page.wait_for_selector("#chart-loss .modebar-btn", state="attached")
    page.wait_for_timeout(2500)
    check_keyboard(page)


def test_a_run_is_started_paused_stepped_and_stopped_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=LONG)

    def to(name: str) -> None:
        for _ in range(120):
            if page.evaluate("document.activeElement.id") == name:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab never came to {name}")

    page.evaluate("document.activeElement.blur()")
    to("start")
    page.keyboard.press("Enter")
    wait_for_update(page, 1)
    to("pause")
    page.keyboard.press("Space")
    wait_for_state(page, "paused")
    # what was pressed can't be pressed again: the focus has gone on to what can
    page.wait_for_function("() => document.activeElement.id === 'resume'")
    held = int(re.findall(r"update ([\d,]+)", page.inner_text("#status .place"))[0].replace(",", ""))
    to("next-update")
    page.keyboard.press("Enter")
    wait_for_update(page, held + 1)
    page.wait_for_function("() => document.activeElement.id === 'next-update'")
    page.keyboard.press("Enter")
    wait_for_update(page, held + 2)
    to("stop")
    page.keyboard.press("Enter")
    wait_for_state(page, "stopped")


def test_the_first_tab_stop_leads_past_the_form_to_the_run(open_page: OpenPage) -> None:
    page = open_page("/?tab=runs", ready="#tab-runs-button[aria-selected=true]")
    page.wait_for_selector("#status", state="attached")
    page.focus(".skip")
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'status'")
    assert page.get_attribute("#tab-train-button", "aria-selected") == "true"


@pytest.mark.parametrize("language", ["en-GB", "tr-TR"])
def test_every_control_has_a_name(open_page: OpenPage, language: str) -> None:
    page = open_page(locale=language)
    page.wait_for_selector("#chart-loss .modebar-btn", state="attached")
    found = each_tab(page, lambda: nameless(page))
    assert not any(found.values()), found


def test_under_each_chart_stands_in_words_what_it_shows_and_the_voice_tells_of_the_loss_alone(
    open_page: OpenPage,
) -> None:
    page = open_page()
    page.wait_for_selector(".charts > [role=status]", state="attached")
    page.evaluate(
        """() => {
            window.aloud = [];
            new MutationObserver(() => aloud.push(document.querySelector(".charts > [role=status]").textContent))
            .observe(document.querySelector(".charts > [role=status]"), { childList: true, characterData: true });
        }"""
    )
    set_up(page, model="tiny-llama", data="sums", updates=40)
    page.evaluate("window.aloud = []")
    run = start(page)
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=run)
    wait_for_state(page, "finished")
    for chart in ("loss", "memory", "batch", "throughput", "grad-norm", "learning-rate"):
        wait_for_points(page, chart, 1)
        line = page.locator(f"#chart-{chart} .read")
        box, plot = line.bounding_box(), page.locator(f"#chart-{chart} .plot").bounding_box()
        assert box and plot and box["y"] >= plot["y"] + plot["height"] - 1
        page.wait_for_function(f"() => /\\d/.test(document.querySelector('#chart-{chart} .read').innerText)")
        assert line.get_attribute("aria-live") is None
    assert page.locator("#chart-loss .main-svg:not([aria-hidden=true])").count() == 0
    y = page.evaluate("document.querySelector('#chart-loss .js-plotly-plot').data[0].y")
    words = page.inner_text("#chart-loss .read")
    said = [float(figure) for figure in re.findall(r"\d+\.\d+", words)]
    assert said == pytest.approx([y[0], y[-1], min(y), max(y)], abs=5e-3)
    assert page.inner_text("#chart-batch .read").startswith("examples: 8 throughout.")
    page.wait_for_function("() => aloud.length > 0")
    # once as the run ends; a run of some seconds is not told of while it goes on
    assert len(page.evaluate("aloud")) == 1
    assert page.evaluate("aloud[0]") == f"Loss: {words}"


def test_nothing_moves_where_reduced_motion_is_asked_for(open_page: OpenPage) -> None:
    page = open_page(reduced_motion="reduce")
    page.add_style_tag(content="@keyframes probe { to { opacity: 0.5 } } .masthead h1 { animation: probe 9s infinite }")
    set_up(page, model="tiny-llama", data="sums", updates=30)
    start(page)
    wait_for_update(page, 1)
    moving = page.evaluate(
        """async () => {
            const found = new Set();
            for (let turn = 0; turn < 40; turn += 1) {
              for (const each of document.getAnimations()) {
                const { duration, iterations } = each.effect.getComputedTiming();
                if (duration * iterations > 50) found.add(each.effect.target?.className ?? "");
              }
              await new Promise((done) => setTimeout(done, 50));
            }
            return [...found];
        }"""
    )
    assert moving == []


def test_text_of_twice_the_size_fits_and_is_cut_nowhere(open_page: OpenPage) -> None:
    # a page at 200 % has half as many of its own pixels in each direction
    page = open_page(viewport={"width": 720, "height": 450}, device_scale_factor=2)
    drawn(page)
    look = """() => [
        ...(document.documentElement.scrollWidth > 720 ? ["the page scrolls sideways"] : []),
        ...[...document.querySelectorAll("button, legend, h1, h2, h3, p, label span, th, td, summary")]
          .filter((e) => e.checkVisibility() && getComputedStyle(e).clipPath === "none" && !e.closest(".modebar"))
          .filter((e) => ["hidden", "clip"].includes(getComputedStyle(e).overflowX))
          .filter((e) => e.scrollWidth > e.clientWidth + 1)
          .map((e) => `${e.tagName}.${e.className}: ${e.innerText}`)]"""
    found = each_tab(page, lambda: list(page.evaluate(look)))
    assert not any(found.values()), found
