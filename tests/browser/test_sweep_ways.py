"""What a sweep asks survives a reload, the browser's Back leads to it again, and what came to no loss is shown; the
trials are made up, the page is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, OpenPage, Studio, serving
from tests.browser.person import graph
from tests.browser.sweeping import (
    MICRO,
    PROGRAM,
    READY,
    add,
    ask,
    open_view,
    row,
    start,
    study_of,
    wait_for_plan,
    wait_for_state,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHOICE = """() => ({
    question: document.querySelector("#sweep-question input:checked").value,
    rows: [...document.querySelectorAll(".sweep-rows li")].map((row) =>
        [...row.querySelectorAll("select, input")].filter((each) => each.checkVisibility()).map((each) =>
            /radio|checkbox/.test(each.type) ? each.checked : each.value)),
    rest: [...document.querySelectorAll(".ask-row input")].map((each) =>
        /radio|checkbox/.test(each.type) ? each.checked : each.value),
})"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with serving(tmp_path_factory.mktemp("home"), start=PROGRAM) as started:
        yield started


def reloaded(page: Page) -> None:
    page.reload()
    wait_for_settings(page)


def wait_for_settings(page: Page) -> None:
    """The view knows what a sweep begins from, and what a start would do."""
    page.wait_for_function("() => document.querySelector('#sweep-effective')?.value")
    wait_for_plan(page)


# ---- what is asked stays ----


def test_a_reload_keeps_what_is_asked_of_a_sweep(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator("text=range").click()
    ends = row(page, 0).locator(".row-range input")
    for place, value in ((0, "1e-5"), (1, "0.01")):
        ends.nth(place).fill(value)
    add(page, 1, MICRO, "2, 4, 8")
    page.click("#sweep-add")
    row(page, 2).locator("select").select_option("window_order")
    row(page, 2).locator("text=random").click()
    page.click("#sweep-add")
    row(page, 3).locator("select").select_option("other")
    row(page, 3).locator(".row-key").fill("training.adam_beta2")
    row(page, 3).locator(".row-text").fill("0.99, 0.999")
    page.click("#sweep-method >> text=TPE")
    page.fill("#sweep-trials", "7")
    page.fill("#sweep-updates", "9")
    page.check("#sweep-keep")
    page.fill("#sweep-effective", "64")
    page.click("#sweep-scaling >> text=linear")
    page.check("#sweep-prune")
    wait_for_plan(page)
    assert page.inner_text(".sweep-trials").startswith("7 trials")
    before = page.evaluate(CHOICE)
    assert [len(each) for each in before["rows"]] == [6, 4, 3, 5]

    reloaded(page)
    assert page.evaluate(CHOICE) == before
    assert page.inner_text(".sweep-trials").startswith("7 trials")
    assert page.locator("#sweep-start").is_enabled()
    # it is this tab's alone
    other = open_view(open_page, tab_of=page)
    assert other.evaluate(CHOICE)["question"] == "learning-rate"


def test_a_reload_keeps_what_is_still_being_written_and_the_other_language_too(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator("text=range").click()
    row(page, 0).locator(".row-range input").nth(1).fill("")
    page.click("#sweep-add")
    row(page, 1).locator("select").select_option("other")
    before = page.evaluate(CHOICE)
    reloaded(page)
    assert page.evaluate(CHOICE) == before
    assert page.locator("#sweep-start").is_disabled()
    with page.expect_navigation():
        page.click("text=TR")
    wait_for_settings(page)
    assert page.inner_text("#sweep-start") == "Taramayı başlat"
    assert page.evaluate(CHOICE) == before


def test_a_question_that_is_ready_stays_one_and_follows_the_settings(open_page: OpenPage) -> None:
    page = open_view(open_page)
    ask(page, "cost")
    reloaded(page)
    assert page.is_checked("#sweep-preset-cost input") and page.input_value("#sweep-effective") == "32"
    page.click("#tab-train-button")
    page.fill("#accumulation-steps input", "2")
    page.locator("#accumulation-steps input").blur()
    page.click("#tab-explore-button")
    page.wait_for_function("() => document.querySelector('#sweep-effective').value === '16'")
    assert page.is_checked("#sweep-preset-cost input")


def test_what_no_page_could_have_kept_is_left(open_page: OpenPage) -> None:
    page = open_view(open_page)
    for kept in ("{", "[]", '{"question": "none"}', '{"question": "own", "spec": {"method": "guess"}, "rows": 3}'):
        page.evaluate("kept => sessionStorage.setItem('birikim.sweep', kept)", kept)
        page.reload()
        page.wait_for_selector(READY)
        assert page.is_checked("#sweep-preset-learning-rate input")


# ---- Back ----


def test_back_leads_from_the_form_to_the_sweep_whose_settings_were_taken_over(open_page: OpenPage) -> None:
    page = open_page()
    page.click("#tab-runs-button")
    page.click("#tab-explore-button")
    page.click("#view-sweep")
    page.wait_for_selector(READY)
    ask(page, "learning-rate")
    study = start(page)
    wait_for_state(page, "finished")
    page.click("#sweep-use")
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    assert "study" not in page.url and "tab=" not in page.url
    page.wait_for_selector("#message >> text=These settings are in the form now. Nothing has been started.")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    page.wait_for_selector("#tab-explore-button[aria-selected=true]")
    page.wait_for_selector(f"#sweep-status[data-study={study}][data-state=finished]")
    assert study_of(page) == study
    page.go_forward()
    page.wait_for_selector("#tab-train-button[aria-selected=true]")


def test_on_a_phone_settings_that_are_taken_over_unfold_the_form_and_a_run_that_is_opened_folds_it(
    open_page: OpenPage,
) -> None:
    page = open_view(open_page, viewport=PHONE)
    ask(page, "learning-rate")
    start(page)
    wait_for_state(page, "finished")
    page.locator(".trials tbody a").first.click()
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    page.wait_for_selector("#form.folded")
    page.go_back()
    page.wait_for_selector("#tab-explore-button[aria-selected=true]")
    page.click("#sweep-use")
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    page.wait_for_selector("#form:not(.folded)")
    page.wait_for_selector("#message >> text=These settings are in the form now.")


def test_on_a_phone_every_choice_says_what_it_is_of(open_page: OpenPage) -> None:
    page = open_view(open_page, viewport=PHONE)
    for choice, words in (
        ("method", "Search"),
        ("scaling", "Learning rate with the effective batch"),
        ("length", "All trials have as many"),
    ):
        assert page.locator(f"#sweep-{choice} legend").is_visible()
        assert page.inner_text(f"#sweep-{choice} legend") == words


def test_what_may_be_written_does_not_look_as_if_it_were(open_page: OpenPage) -> None:
    page = open_view(open_page)

    def colours(field: str) -> list[str]:
        return page.evaluate(  # type: ignore[no-any-return]
            "field => [null, '::placeholder']"
            ".map((part) => getComputedStyle(document.querySelector(field), part).color)",
            field,
        )

    written, hint = colours("#sweep-updates")
    assert written != hint == "rgb(86, 98, 110)"
    page.click("#tab-runs-button")
    page.wait_for_selector("#runs-search")
    assert colours("#runs-search") == [written, hint]


def test_back_leads_to_the_sweep_from_a_run_that_was_looked_at_before(open_page: OpenPage) -> None:
    page = open_view(open_page)
    ask(page, "learning-rate")
    study = start(page)
    wait_for_state(page, "finished")
    for _ in range(2):  # the second time the address names that run already
        page.locator(".trials tbody a").first.click()
        page.wait_for_selector("#tab-train-button[aria-selected=true]")
        assert "run=" in page.url
        page.go_back()
        page.wait_for_selector(f"#sweep-status[data-study={study}]")
        page.wait_for_selector("#tab-explore-button[aria-selected=true]")
        page.click("#tab-explore-button")


# ---- what came to no loss ----


def test_a_trial_that_diverged_is_a_mark_at_the_edge_with_its_word_and_opens_its_run(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator(".row-text").fill("1e-4, 1e-3, 1, 10")
    wait_for_plan(page)
    start(page)
    wait_for_state(page, "finished")
    page.locator("#chart-sweep-field").scroll_into_view_if_needed()
    page.wait_for_function(
        "() => document.querySelector('#chart-sweep-field .js-plotly-plot')?.data?.[4]?.x?.length === 2"
    )
    assert graph(page, "sweep-field", "[...g.data[4].x]") == [1, 10]
    assert graph(page, "sweep-field", "g.layout.annotations.map((each) => each.text)") == [
        "best",
        "diverged",
        "diverged",
    ]
    assert graph(page, "sweep-field", "g._fullLayout.xaxis.range[1]") > 1  # they are in the picture
    assert "Learning rate 1: diverged. Learning rate 10: diverged." in page.inner_text("#chart-sweep-field .read")
    assert "ended without a loss" in page.inner_text("#chart-sweep-field .keys")
    # a press on the last mark
    place = graph(
        page,
        "sweep-field",
        """(() => {
        const { xaxis: x, yaxis2: y } = g._fullLayout;
        const { left, top } = g.getBoundingClientRect();
        return [left + x._offset + x.d2p(10), top + y._offset + 2];
    })()""",
    )
    page.mouse.move(*place)
    page.wait_for_selector("#chart-sweep-field .hoverlayer text")
    page.mouse.click(*place)
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    assert "run=" in page.url


def test_where_no_trial_came_to_a_loss_the_chart_says_how_they_ended(open_page: OpenPage) -> None:
    page = open_view(open_page, locale="tr-TR")
    page.click("#sweep-preset-own")
    row(page, 0).locator("select").select_option(MICRO)
    row(page, 0).locator(".row-text").fill("32, 64")
    wait_for_plan(page)
    start(page)
    wait_for_state(page, "finished")
    page.locator("#chart-sweep-field").scroll_into_view_if_needed()
    page.wait_for_selector("#chart-sweep-field .read >> text=bellek yetmedi")
    assert not page.locator("#chart-sweep-field .empty").is_visible()
    assert "kayıpsız sona erdi" in page.inner_text("#chart-sweep-field .keys")


def test_two_settings_and_all_settings_say_which_trials_came_to_no_loss(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator(".row-text").fill("1e-4, 1")
    add(page, 1, MICRO, "2, 32")
    wait_for_plan(page)
    start(page)
    wait_for_state(page, "finished")
    page.wait_for_selector(".sweep-heat td")
    cells = page.locator(".sweep-heat tbody td").all_inner_texts()
    assert sorted(cells)[1:] == ["diverged", "out of memory", "out of memory"]
    page.locator("#chart-sweep-parallel").scroll_into_view_if_needed()
    page.wait_for_selector("#chart-sweep-parallel .read >> text=Micro-batch 2: diverged.")
