"""The page in Turkish: from the first text on, as the browser prefers or a click says, and nothing written is lost."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from playwright.sync_api import Page

from engine import TURKISH
from gui.serving import AT
from gui.text import ENGLISH
from tests.browser.conftest import OpenPage, serving
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


def test_a_fault_and_what_to_do_about_it_are_said_in_turkish(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    page.fill("#micro-batch input", "0")
    wait_for_text(page, "#arithmetic", "“Mikro parti” en az 1 olmalı, 0 değil.")
    wait_for_text(page, "#arithmetic", "1 ya da daha büyük bir sayı yazın.")
    page.fill("#micro-batch input", "8")
    choose(page, "model", "tiny-lama")
    wait_for_text(page, "#arithmetic", "“tiny-lama” diye bir model yok.")
    wait_for_text(page, "#arithmetic", "Bunu mu demek istediniz: tiny-llama?")


def test_the_browser_tells_every_code_as_the_engine_does(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    samples = {"error": "12.7 %", "phase": "forward", "place": "row 3 (line 7)", "able": "a or b", "best": 0.125}
    faults = []
    for code, wording in TURKISH.wording.items():
        if code.startswith("run.out-of-memory") or code in ENGLISH or f"{code}.remedy" in ENGLISH:
            continue
        names = {name for text in wording for _, name, _, _ in string.Formatter().parse(text) if name}
        faults.append({"code": code, "values": {name: samples.get(name, "1.5 GiB") for name in names}, "field": "-"})
    told = page.evaluate(
        "async ([file, faults]) => {"
        " const { told } = await import(new URL(file, document.baseURI));"
        " return faults.map((fault) => Object.values(told(fault))); }",
        [f"{AT}/words.js", faults],
    )
    assert [tuple(each) for each in told] == [TURKISH.told(fault["code"], fault["values"]) for fault in faults]


def test_a_run_out_of_memory_is_explained_in_turkish(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    taken = {"weights_bytes": 3 * 2**30, "gradients_bytes": 2**30, "optimizer_bytes": 0, "activations_bytes": 2**30}
    values = {"phase": "backward", "update": 3, "micro_batch": 2, "of": 4, "rows": 8, "most": "weights", **taken}
    fault = {"code": "run.out-of-memory", "values": {**values, "requested_bytes": 2**29, "budget_bytes": 2**33}}
    message, remedy = page.evaluate(
        "async ([file, fault]) => Object.values((await import(new URL(file, document.baseURI))).told(fault))",
        [f"{AT}/words.js", fault],
    )
    assert message == (
        "3. güncellemede bellek yetmedi: 4 mikro partiden 2. olanın geri yayılımında. "
        "512 MiB daha istendi; 8,00 GiB içinden 5,00 GiB doluydu, en çoğu ağırlıklar (3,00 GiB)."
    )
    assert remedy.startswith("Mikro partiyi yarıya indirip biriktirme adımını iki katına çıkarın")


def test_numbers_follow_the_language(open_page: OpenPage) -> None:
    page = open_page(locale="tr-TR")
    said = page.evaluate(
        "async (file) => { const words = await import(new URL(file, document.baseURI));"
        " return [words.number(1.23456), words.number(0.0001234), words.integer(12345), words.bytes(3 * 2 ** 30),"
        " words.percent(0.123), words.inPercent('12'), words.duration(3725), words.moment(0).includes('1970')]; }",
        f"{AT}/words.js",
    )
    assert said == ["1,235", "1,23e-4", "12.345", "3,00 GiB", "%12,3", "%12", "1 sa 2 dk", True]
    page.wait_for_function(
        "() => document.querySelector('#chart-loss .js-plotly-plot')?._fullLayout?.separators === ',.'"
    )


def test_gradios_own_words_are_turkish_too(open_page: OpenPage, tmp_path: Path) -> None:
    accounts = tmp_path / "accounts"
    accounts.write_text("ada:lovelace\n")
    with serving(tmp_path / "home", "--auth-file", str(accounts)) as other:
        page = open_page(url=other.url, locale="tr-TR", ready="button:has-text('Giriş yap')")
        wait_for_text(page, "body", "Kullanıcı adı")
