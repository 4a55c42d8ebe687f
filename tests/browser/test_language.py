"""The page in Turkish: from the first text on, as the browser prefers or a click says, and nothing written is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.person import choose

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SAID = """window.said = [];
const parts = ['#tabs [role=tab]', '#start', '#status .state', '#theme'];
const note = () => {
  for (const part of parts) {
    const text = document.querySelector(part)?.innerText.trim();
    if (text && !window.said.includes(text)) window.said.push(text);
  }
};
new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });"""
WRITTEN = """() => ['model', 'data', 'micro-batch', 'accumulation-steps']
  .map((name) => document.querySelector(`#${name} input`)?.value ?? '').join(' ')"""


def wait_for_text(page: Page, selector: str, text: str) -> None:
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector)?.innerText.includes(text)", arg=[selector, text]
    )


def test_the_first_text_that_one_sees_is_in_the_browsers_language(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    page.add_init_script(SAID)
    page.reload()
    page.wait_for_selector("#status[data-state]")
    wait_for_text(page, "#arithmetic", "epoch başına")
    assert page.get_attribute("html", "lang") == "tr"
    assert page.evaluate("document.documentElement.lang") == "tr"
    said = page.evaluate("window.said")
    assert {"Eğitim", "Başlat", "Henüz çalışma yok"} <= set(said)
    assert not {"Train", "Start", "No run yet", "Dark", "Light"} & set(said)


def test_a_browser_of_a_language_that_the_page_does_not_speak_hears_english(open_page: OpenPage) -> None:
    page = open_page(locale="fr-FR")
    assert page.inner_text("#start") == "Start"
    assert page.get_attribute("html", "lang") == "en"


def test_a_click_changes_the_language_and_is_kept_over_a_reload(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    assert page.get_attribute("#language-tr", "aria-pressed") == "true"
    page.click("#language-en")
    wait_for_text(page, "#start", "Start")
    page.wait_for_selector("#language-en[aria-pressed=true]")
    page.reload()
    page.wait_for_selector("#status[data-state]")
    assert page.inner_text("#start") == "Start"
    assert page.get_attribute("html", "lang") == "en"
    page.click("#language-tr")
    wait_for_text(page, "#start", "Başlat")


def test_nothing_that_was_written_is_lost_when_the_language_changes(open_page: OpenPage) -> None:
    page = open_page(locale="en-GB")
    choose(page, "data", "sums")
    choose(page, "model", "tiny-llama")
    page.fill("#micro-batch input", "3")
    # the program is silent: what is written now has been told to nobody
    page.route("**/gradio_api/queue/join**", lambda route: None)
    page.route("**/gradio_api/run/**", lambda route: None)
    page.locator("#accumulation-steps input").fill("7")
    page.click("#language-tr")
    wait_for_text(page, "#start", "Başlat")
    page.wait_for_function(f"() => ({WRITTEN})() === 'tiny-llama sums 3 7'")
    page.unroute_all()


def test_a_choice_of_the_form_keeps_its_meaning_in_either_language(open_page: OpenPage) -> None:
    page = open_page(locale="en-GB")
    page.click("#advanced > button")
    choose(page, "precision", "bf16 mixed")
    page.click("#language-tr")
    wait_for_text(page, "#start", "Başlat")
    page.click("#yaml-fold > button")
    page.wait_for_function("() => document.querySelector('#yaml textarea')?.value.includes('bf16: true')")
    page.click("#advanced > button")
    page.wait_for_function("() => document.querySelector('#precision input')?.value === 'bf16 karışık'")
