"""A link opens the picture that it was copied from, and starts nothing; what it may not say is refused and said."""

from __future__ import annotations

import base64
import zlib
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from engine import RunConfig, Store
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.browser.person import choose, graph, set_up, start, wait_for_points, wait_for_state

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WAY = "#message .spoken"
LINKED = {"permissions": ["clipboard-read", "clipboard-write"]}


def packed(text: str) -> str:
    """As the page packs settings: deflated without a header, in base64 for addresses."""
    bare = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(bare.compress(text.encode()) + bare.flush()).decode().rstrip("=")


def copied(page: Page) -> str:
    page.click("#copy-link")
    page.wait_for_function("() => document.querySelector('#copy-link').innerText === 'Copied'")
    return str(page.evaluate("navigator.clipboard.readText()"))


def query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def said(page: Page, text: str) -> None:
    page.wait_for_function(
        "([where, text]) => document.querySelector(where)?.innerText.includes(text)", arg=[WAY, text]
    )


def runs(studio: Studio) -> int:
    store = Store(studio.home)
    try:
        return len(store.runs())
    finally:
        store.close()


def form(page: Page) -> dict[str, str]:
    names = ("model", "data", "task", "micro-batch", "accumulation-steps")
    return {name: page.input_value(f"#{name} input") for name in names}


def test_a_copied_link_opens_the_same_picture_in_another_browser(open_page: OpenPage, studio: Studio) -> None:
    page = open_page(**LINKED)
    set_up(page, model="tiny-llama", data="sums", updates=6)
    run = start(page)
    wait_for_state(page, "finished")
    page.check("#x-axis input[value=total_targets]", force=True)
    page.click(".toolbar .toggle >> nth=0")
    page.click(".toolbar .toggle >> nth=1")
    page.fill("#micro-batch input", "3")
    page.locator("#micro-batch input").blur()
    page.wait_for_function("() => document.querySelector('#arithmetic')?.innerText.includes('3 × 4')")
    page.click("#tab-memory-button")
    page.wait_for_timeout(500)
    link = copied(page)
    before = runs(studio)
    asked = query(link)
    config = asked.pop("config")
    assert asked == {"tab": "memory", "run": str(run), "x": "total_targets", "smooth": "1", "log": "1"}
    assert len(config) < 600

    other = open_page(link.removeprefix(studio.url), ready="#tab-memory-button[aria-selected=true]")
    other.wait_for_function("() => document.querySelector('#memory-settings')?.innerText.includes('3 × 4')")
    other.click("#tab-train-button")
    said(other, "These settings come from the link. Nothing has been started.")
    assert form(other) == {**form(page), "micro-batch": "3"}
    wait_for_points(other, "loss", 6)
    assert graph(other, "loss", "g.layout.yaxis.type") == "log"
    assert graph(other, "loss", "g.layout.xaxis.title.text") == "targets"
    assert graph(other, "loss", "g.data[2].x.length") == 6
    assert other.get_attribute(".toolbar .toggle >> nth=0", "aria-pressed") == "true"
    assert runs(studio) == before


def test_what_is_written_after_a_link_takes_its_settings_out_of_the_address(open_page: OpenPage) -> None:
    text = RunConfig.default().to_yaml().replace("gradient_accumulation_steps: 4", "gradient_accumulation_steps: 9")
    page = open_page(f"/?config={packed(text)}&x=seconds")
    said(page, "come from the link")
    assert page.input_value("#accumulation-steps input") == "9"
    page.fill("#micro-batch input", "5")
    page.wait_for_function("() => !location.search.includes('config')")
    assert query(page.url) == {"x": "seconds"}
    page.wait_for_function("() => document.querySelector('#arithmetic')?.innerText.includes('5 × 9')")
    page.reload()
    page.wait_for_function("() => document.querySelector('#arithmetic')?.innerText.includes('5 × 9')")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model: tiny-llama\ntask: text-generation\ndata: {name: sums}\nloss: mine.py:loss\n", "“loss”"),
        (RunConfig.default().to_yaml() + "  output_dir: /tmp/elsewhere\n", "output_dir"),
        ("model: tiny-llama\ntask: text-generation\ndata: {name: sums}\nbogus: 1\n", "bogus"),
        ("model: [", "line"),
    ],
)
def test_what_the_pane_would_refuse_is_refused_in_a_link_and_the_form_stays(
    open_page: OpenPage, studio: Studio, text: str, words: str
) -> None:
    page = open_page()
    choose(page, "data", "sums")
    before, started = form(page), runs(studio)
    page.goto(f"{studio.url}/?config={packed(text)}")
    said(page, "The settings of the link were refused; the form is as it was.")
    assert words in page.inner_text(WAY)
    assert form(page) == before
    assert page.locator(".wrong").count() == 0
    assert runs(studio) == started


@pytest.mark.parametrize(
    "code",
    ["%3Cscript%3E", "AAAA", "x" * 5000, packed("# " + "x" * 3_000_000)],
    ids=["markup", "nothing deflated", "too long", "a bomb"],
)
def test_what_is_no_packed_text_is_said_and_harms_nothing(open_page: OpenPage, code: str) -> None:
    page = open_page(f"/?config={code}&x=%3Cb%3E&smooth=yes&tab=..%2F..&run=1e9")
    said(page, "The settings in the link can't be read; the form is as it was.")
    assert page.input_value("#model input")
    assert page.is_checked("#x-axis input[value=update]")
    assert page.get_attribute("#tab-train-button", "aria-selected") == "true"


def test_where_a_page_may_not_copy_the_link_stands_to_be_copied(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.click("#copy-link")
    page.wait_for_selector("#link-text", state="visible")
    assert page.evaluate("getSelection().toString() || document.activeElement.value") == page.input_value("#link-text")
    assert "config=" in page.input_value("#link-text")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_settings_that_are_too_long_for_a_link_are_left_out_and_that_is_said(open_page: OpenPage) -> None:
    page = open_page(**LINKED)
    page.click("#yaml-fold > button")
    noise = base64.b64encode(bytes(place * 7919 % 251 ^ place // 251 for place in range(12_000))).decode()
    page.fill("#yaml textarea", page.input_value("#yaml textarea") + f"# {noise}\n")
    page.wait_for_timeout(500)
    assert "config" not in query(copied(page))
    assert "too long for a link" in page.inner_text("#link-line")


def test_back_brings_the_tab_and_the_axis_of_its_address(open_page: OpenPage) -> None:
    page = open_page("/?tab=runs&x=seconds", ready="#tab-runs-button[aria-selected=true]")
    page.evaluate("history.pushState(null, '', location.pathname)")
    page.click("#tab-train-button")
    page.check("#x-axis input[value=total_examples]", force=True)
    assert query(page.url) == {"x": "total_examples"}
    page.go_back()
    page.wait_for_selector("#tab-runs-button[aria-selected=true]")
    assert page.evaluate("document.querySelector('#x-axis input:checked').value") == "seconds"


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE])
def test_a_page_without_controls_shows_the_run_alone_and_has_a_way_back(
    open_page: OpenPage, viewport: dict[str, int]
) -> None:
    page = open_page("/?controls=off", viewport=viewport)
    for hidden in ("form", "start", "pause", "x-axis", "theme", "copy-link"):
        assert not page.locator(f"#{hidden}").is_visible(), hidden
    for shown in ("status", "window", "chart-loss"):
        assert page.locator(f"#{shown}").is_visible(), shown
    page.wait_for_selector("#chart-loss .js-plotly-plot")
    for tab, gone in (("prove", "prove-start"), ("memory", "xray-start")):
        page.click(f"#tab-{tab}-button")
        page.wait_for_selector(f"#{gone}", state="attached")
        assert not page.locator(f"#{gone}").is_visible()
    page.click("#tab-train-button")
    page.click("#controls")
    page.wait_for_selector("#start", state="visible")
    assert "controls" not in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
