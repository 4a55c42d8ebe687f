"""The form says what is so now: the settings of the run that one sees or one's own edits, and no answer out of date."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.person import choose, open_fold, set_up, start, stop, wait_for_state, wait_for_update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SHOWN = """() => ['model', 'data', 'micro-batch', 'accumulation-steps']
  .map((name) => document.querySelector(`#${name} input`)?.value ?? '').join(' ')"""
WATCH = f"""window.shown = [];
setInterval(() => {{
  const now = ({SHOWN})();
  if (now.trim() && now !== window.shown.at(-1)) window.shown.push(now);
}}, 10);"""
PLACES = """() => {
  scrollTo(0, 0);
  document.querySelector('#form').scrollTop = 0;
  return ['#start', '#chart-loss'].map((part) => document.querySelector(part).getBoundingClientRect().top);
}"""


def shown(page: Page) -> str:
    return str(page.evaluate(SHOWN))


def wait_for_form(page: Page, values: str) -> None:
    page.wait_for_function(f"values => ({SHOWN})() === values", arg=values)


def test_a_page_opens_with_ones_own_edits_else_with_the_run_under_way_and_never_with_anything_before(
    open_page: OpenPage,
) -> None:
    page = open_page()
    page.add_init_script(WATCH)
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    start(page)
    wait_for_update(page, 1)
    page.reload()
    wait_for_form(page, "tiny-llama sums 2 4")
    choose(page, "data", "python-docs")
    page.fill("#micro-batch input", "3")
    page.wait_for_function("() => sessionStorage.getItem('birikim.edits')?.includes('\"micro-batch\":3')")
    page.reload()
    page.wait_for_function("() => document.querySelector('#arithmetic')?.innerText.includes('3 × 4 × 1 device = 12')")
    assert page.evaluate("window.shown") == ["tiny-llama python-docs 3 4"]

    second = open_page(tab_of=page)
    wait_for_form(second, "tiny-llama sums 2 4")
    second.close()
    stop(page)


def test_the_settings_of_a_past_run_can_be_taken_over(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", micro_batch=3, steps=2, updates=2)
    past = start(page)
    wait_for_state(page, "finished")
    set_up(page, model="tiny-bert", data="sentiment", micro_batch=2, steps=5, updates=2)
    start(page)
    wait_for_state(page, "finished")
    page.goto(page.url.split("?")[0] + f"?run={past}")
    wait_for_form(page, "tiny-bert sentiment 2 5")
    page.click("text=Use these settings")
    wait_for_form(page, "tiny-llama sums 3 2")
    page.wait_for_function("() => document.querySelector('#arithmetic').innerText.includes('3 × 2 × 1 device = 6')")
    page.click("#yaml-fold > button")
    page.wait_for_function("() => document.querySelector('#yaml textarea')?.value.includes('model: tiny-llama')")
    page.click("#tab-prove-button")
    page.wait_for_selector("#prove-settings >> text=tiny-llama · sums · text-generation")
    page.wait_for_selector("#prove-plans label:has(small) >> text=3 × 2")


def test_what_start_answered_goes_when_it_is_no_longer_so_and_nothing_ever_moves(open_page: OpenPage) -> None:
    page = open_page()
    before = page.evaluate(PLACES)
    page.wait_for_function("() => document.querySelector('#arithmetic').innerText.includes('In all')")
    assert page.evaluate(PLACES) == before
    choose(page, "task", "text-classification")
    choose(page, "data", "stdlib-docstrings")
    choose(page, "model", "tiny-lama")
    page.click("#start")
    page.wait_for_selector("#message [data-tone=bad]")
    page.wait_for_selector("#arithmetic [data-tone=quiet]", state="hidden")  # the same fault, said once
    assert page.evaluate(PLACES) == before
    page.fill("#micro-batch input", "3")
    page.wait_for_function("() => !document.querySelector('#message').innerText")
    assert page.locator(".wrong").count() == 0
    page.wait_for_selector("#arithmetic .spoken")
    choose(page, "model", "tiny-llama")
    choose(page, "data", "sums")
    page.wait_for_function("() => document.querySelector('#fit').innerText.includes('Task is now')")
    assert page.evaluate(PLACES) == before
    open_fold(page, "optimizer")
    page.fill("#length input", "100000")
    start(page)
    wait_for_update(page, 1)
    assert "has started" in page.inner_text("#message")
    assert page.evaluate(PLACES) == before
    page.click("#pause")
    wait_for_state(page, "paused")
    assert page.evaluate(PLACES) == before
    stop(page)
    page.wait_for_function("() => !document.querySelector('#message').innerText")
    assert "Stopped; the weights are those after the last update." in page.inner_text("#status")
    assert page.evaluate(PLACES) == before


def test_the_prove_tab_proves_what_the_form_opens_with(open_page: OpenPage) -> None:
    def proves(shown: Page, names: str, plan: str) -> None:
        shown.wait_for_selector(f"#prove-settings >> text={names}")
        shown.wait_for_selector(f"#prove-plans label:has(small) >> text={plan}")

    page = open_page()
    set_up(page, model="tiny-llama", data="sums", micro_batch=3, steps=2, updates=2)
    start(page)
    wait_for_state(page, "finished")
    choose(page, "model", "tiny-bert")
    page.fill("#micro-batch input", "5")
    page.wait_for_function("() => sessionStorage.getItem('birikim.edits')?.includes('\"micro-batch\":5')")
    page.goto(page.url.split("?")[0] + "?tab=prove")
    proves(page, "tiny-bert · stdlib-docstrings · text-classification", "5 × 2")
    other = open_page("/?tab=prove", tab_of=page, ready="#prove-start")
    proves(other, "tiny-llama · sums · text-generation", "3 × 2")
    other.close()
    page.click("#tab-train-button")
    page.click("#yaml-fold > button")
    page.wait_for_function("() => document.querySelector('#yaml textarea')?.value.includes('train_batch_size: 5')")
    text = page.input_value("#yaml textarea")
    page.fill("#yaml textarea", text.replace("per_device_train_batch_size: 5", "per_device_train_batch_size: 7"))
    page.wait_for_function("() => sessionStorage.getItem('birikim.edits')?.includes('size: 7')")
    page.goto(page.url.split("?")[0] + "?tab=prove")
    proves(page, "tiny-bert · stdlib-docstrings · text-classification", "7 × 2")
