"""A person opens a lesson by its link, answers, runs its experiment, and reads what came out of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page

from engine import Store
from tests.browser.conftest import PHONE, OpenPage, Studio

pytestmark = [pytest.mark.browser, pytest.mark.slow]

READY = "#lesson-status .state:not(:empty)"


def open_lesson(open_page: OpenPage, name: str, **options: Any) -> Page:
    return open_page(f"/?lesson={name}", ready=READY, **options)


def answer(page: Page, number: int) -> None:
    page.click(f"#lesson-question label.answer:nth-of-type({number})")


def run(page: Page) -> None:
    page.click("#lesson-start:enabled")
    wait_for_state(page, "working", 20)


def wait_for_state(page: Page, state: str, seconds: float = 150) -> None:
    page.wait_for_selector(f".experiment[data-state={state}]", timeout=seconds * 1000)


def codes(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "#lesson-conclusion [data-code]", "all => all.map(e => e.dataset.code)"
    )
    return found


def lines(page: Page) -> list[list[float]]:
    """The y values of each trace of the chart."""
    found: list[list[float]] = page.evaluate(
        "() => document.querySelector('#chart-lesson .js-plotly-plot')?.data?.map((trace) => [...trace.y]) ?? []"
    )
    return found


LINES = """button => {
  const range = document.createRange();
  range.selectNodeContents(button);
  return range.getClientRects().length;
}"""


def test_the_button_that_runs_an_experiment_says_so_in_one_line(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "why")
    assert page.inner_text("#lesson-start") == "Run the experiment"
    assert page.eval_on_selector("#lesson-start", LINES) == 1


def wider_than_the_page(page: Page) -> Any:
    return page.evaluate(
        """(unseen) => [...document.querySelectorAll("#learn *")]
            .filter((e) => e.getClientRects().length && !e.closest(unseen))
            .filter((e) => getComputedStyle(e).opacity !== "0" && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.className}`)""",
        "svg, .read, .aloud, .lesson-name, .figures-scroll, .modebar",
    )


def test_an_answer_is_followed_by_the_experiment_and_a_conclusion_from_its_numbers(
    open_page: OpenPage, studio: Studio
) -> None:
    page = open_lesson(open_page, "same-update")
    assert page.inner_text("#lesson-title") == "The same update"
    assert page.get_attribute("#lesson-same-update", "aria-current") == "page"
    assert page.locator("#lesson-start").is_disabled()
    assert page.get_attribute("#lesson-start", "title") == "Choose an answer first."
    assert page.locator(".because").count() == 0

    answer(page, 3)
    run(page)
    assert page.locator("#lesson-question input:enabled").count() == 0
    wait_for_state(page, "done")
    page.wait_for_selector("#lesson-conclusion.drawn")

    def whole(shown: Page) -> None:
        shown.wait_for_selector("#lesson-question .revealed")
        assert shown.locator("#lesson-question .because").count() == 4
        mine = shown.locator(".answer.revealed:has(small)")
        assert "your answer" in mine.inner_text() and mine.get_attribute("data-tone") == "bad"
        assert "1e-7" in shown.inner_text(".answer.revealed[data-tone=good]")
        assert codes(shown)[0] == "lesson.same-update.conclusion.exact"
        # a plan is not broken into two lines, neither in the figures nor in a sentence
        plans = shown.locator(".lesson-figures tbody th").all_inner_texts()
        assert plans and all(re.fullmatch("\\d+\u00a0×\u00a0\\d+", plan) for plan in plans)
        assert re.search("\\d\u00a0×\u00a0\\d", shown.inner_text("#lesson-conclusion"))
        shown.wait_for_function("() => document.querySelector('#chart-lesson .js-plotly-plot')?.data?.length === 4")

    whole(page)
    store = Store(studio.home)
    try:
        [newest] = store.newest(["lesson/same-update/proof"])
        _, result = store.result(newest.id)
    finally:
        store.close()
    assert result is not None
    ways = [way for way in result["proof"]["ways"] if way["name"] == "accumulated"]
    worst = max(way["relative_error"] for way in ways)
    said = page.inner_text("#lesson-conclusion")
    [mantissa, exponent] = f"{worst:.0e}".split("e")
    assert f"{mantissa}e{int(exponent)}" in said
    assert f"{result['proof']['rows']} rows" in said and "{" not in said
    assert sorted(lines(page)) == sorted(
        curve["losses"] for curve in result["curves"] if curve["normalization"] == "exact"
    )
    assert page.locator(".lesson-figures tbody tr").count() == len(ways)

    page.reload()
    page.wait_for_selector("#lesson-conclusion.drawn", timeout=15_000)
    whole(page)
    assert page.inner_text("#lesson-conclusion") == said
    assert page.locator("#lesson-same-update .lesson-mark >> text=✓").is_visible()

    # who has not answered sees no result before he does, and reads it in the language of his browser
    other = open_lesson(open_page, "same-update", locale="tr-TR")
    other.wait_for_selector(".covered:visible >> text=Bu daha önce ölçüldü")
    assert not other.locator("#lesson-conclusion").is_visible() and not other.locator("#chart-lesson").is_visible()
    answer(other, 2)
    other.wait_for_selector("#lesson-conclusion.drawn:visible")
    assert other.inner_text("#lesson-title") == "Aynı güncelleme"
    turkish = other.inner_text("#lesson-conclusion")
    assert f"{result['proof']['rows']} satır" in turkish and "{" not in turkish and "lesson." not in turkish
    assert "sizin yanıtınız" in other.inner_text(".answer.revealed[data-tone=good]")
    other.click("#lesson-anew")
    other.wait_for_selector(".covered:visible")
    assert other.locator("#lesson-question label.answer").count() == 4


def test_a_lesson_that_is_under_way_can_be_stopped_and_run_again(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "why")
    assert page.locator("#lesson-stop").is_disabled()
    answer(page, 2)
    run(page)
    page.click("#lesson-stop:enabled")
    page.wait_for_selector(".experiment:is([data-state=failed], [data-state=done])", timeout=90_000)
    page.wait_for_selector("#lesson-start:enabled >> text=Run it again")
    assert page.locator("#lesson-start").is_enabled()


def test_the_address_holds_the_lesson_and_back_goes_to_the_one_before(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "why")
    page.click("#lesson-next")
    page.wait_for_selector("#lesson-title >> text=The same update")
    assert "lesson=same-update" in page.url and "tab=learn" in page.url
    page.go_back()
    page.wait_for_selector("#lesson-title >> text=Why accumulate?")
    page.click("#tab-runs-button")
    assert "lesson" not in page.url
    unknown = open_lesson(open_page, "no-such-lesson")
    assert unknown.inner_text("#lesson-title") == "Why accumulate?"


def test_a_part_s_settings_are_taken_over_into_the_form(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "same-update")
    page.click(".lesson-part .link")
    page.wait_for_function("() => document.querySelector('#model input').value === 'tiny-llama'")
    page.wait_for_function("() => document.querySelector('#data input').value === 'sums'")
    assert page.input_value("#micro-batch input") == "8"
    assert "lesson" not in page.url and "tab" not in page.url


def test_on_a_phone_every_tab_and_every_lesson_is_within_reach(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "why", viewport=PHONE)
    assert page.locator("#tab-runs-button").is_visible()
    page.click("#lesson-same-update")
    page.wait_for_selector("#lesson-title >> text=The same update")
    assert not wider_than_the_page(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert not wider_than_the_page(page)


def test_lessons_are_walked_by_the_keyboard(open_page: OpenPage) -> None:
    page = open_lesson(open_page, "why")
    page.focus("#lesson-question input >> nth=0")
    page.keyboard.press("ArrowDown")
    assert page.locator("#lesson-question input >> nth=1").is_checked()
    page.focus("#lesson-same-update")
    page.keyboard.press("Enter")
    page.wait_for_selector("#lesson-title >> text=The same update")
    assert "lesson=same-update" in page.url
