"""A person asks a question of a sweep, watches its trials and takes the best over; the trials are made up, the page is
not. One sweep at the end is real."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.access import check_keyboard, nameless, violations
from tests.browser.conftest import PHONE, OpenPage, Studio, serving
from tests.browser.person import graph, set_up
from tests.browser.sweeping import (
    ADDRESS,
    MICRO,
    PROGRAM,
    ask,
    of_two_fields,
    open_view,
    row,
    run,
    start,
    study_of,
    trials,
    wait_for_plan,
    wait_for_state,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FORM = "() => ['micro-batch', 'accumulation-steps'].map((name) => document.querySelector(`#${name} input`)?.value)"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with serving(tmp_path_factory.mktemp("home"), start=PROGRAM) as started:
        yield started


# ---- what is asked ----


def test_each_question_says_what_a_start_would_do(open_page: OpenPage) -> None:
    page = open_view(open_page)
    assert page.inner_text(".sweep-trials").startswith("9 trials")
    ask(page, "cost")
    assert page.inner_text(".sweep-trials").startswith("6 trials")
    plans = page.locator(".sweep-plans li").all_inner_texts()
    assert plans == ["1 × 32 = 32", "2 × 16 = 32", "4 × 8 = 32", "8 × 4 = 32", "16 × 2 = 32", "32 × 1 = 32"]
    assert page.is_checked("#sweep-keep") and page.input_value("#sweep-effective") == "32"
    ask(page, "effective-batch")
    assert page.is_checked("#sweep-scaling input[value=square-root]") and page.is_checked("#sweep-ask-noise")


def test_what_is_changed_by_hand_is_a_question_of_ones_own(open_page: OpenPage) -> None:
    page = open_view(open_page)
    ask(page, "cost")
    row(page, 0).locator(".row-text").fill("2, 3, 8")
    wait_for_plan(page)
    assert page.is_checked("#sweep-preset-own input")
    assert "can't make the effective batch" in page.inner_text("#sweep-fault")
    assert page.locator("#sweep-start").is_disabled()
    page.check("#sweep-leave-out")
    wait_for_plan(page)
    assert "Micro-batch 3" in page.inner_text(".left-out")
    assert page.inner_text(".sweep-trials").startswith("2 trials")
    assert page.locator("#sweep-start").is_enabled()


def test_a_setting_takes_a_range_and_any_other_setting_goes_by_its_key(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator("text=range").click()
    first = row(page, 0).locator(".row-range input")
    for place, value in ((0, "1e-5"), (1, "1e-2")):
        first.nth(place).fill(value)
    row(page, 0).locator(".row-counted input").fill("4")
    page.click("#sweep-add")
    row(page, 1).locator("select").select_option("other")
    row(page, 1).locator(".row-key").fill("training.adam_beta2")
    row(page, 1).locator(".row-text").fill("0.99, 0.999")
    wait_for_plan(page)
    assert page.inner_text(".sweep-trials").startswith("8 trials")
    page.click("#sweep-method >> text=TPE")
    page.fill("#sweep-trials", "5")
    wait_for_plan(page)
    assert page.inner_text(".sweep-trials").startswith("5 trials")
    assert not row(page, 0).locator(".row-counted").is_visible()
    row(page, 1).locator(".row-key").fill("training.adam_beta3")
    wait_for_plan(page)
    assert "adam_beta3" in page.inner_text("#sweep-fault")
    assert row(page, 1).locator(".row-key").get_attribute("aria-invalid") == "true"
    row(page, 1).locator("text=Remove").click()
    wait_for_plan(page)
    assert page.locator("#sweep-start").is_enabled()


def test_what_a_user_wrote_never_becomes_markup(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator("select").select_option("other")
    row(page, 0).locator(".row-key").fill("<img src=x onerror=alert(1)>")
    row(page, 0).locator(".row-text").fill("<b>bold</b>")
    wait_for_plan(page)
    assert "<img" in page.inner_text("#sweep-fault")
    assert page.locator("#sweep img, #sweep b").count() == 0


# ---- a sweep as it goes ----


def test_a_sweep_is_watched_to_its_end_and_its_failed_trial_is_a_result(open_page: OpenPage) -> None:
    page = open_view(open_page)
    ask(page, "cost")
    study = start(page)
    wait_for_state(page, "running")
    page.wait_for_function("() => / left$|left · /.test(document.querySelector('#sweep-status .place').innerText)")
    wait_for_state(page, "finished")
    assert trials(page, "finished") == 5 and trials(page, "failed") == 1
    failed = page.locator(".trials tr[data-state=failed] .chip")
    assert failed.inner_text() == "out of memory" and "does not fit" in str(failed.get_attribute("title"))
    assert "1 failed" in page.inner_text("#sweep-status .place")
    for chart in ("predicted", "memory", "throughput", "loss"):
        page.locator(f"#chart-sweep-{chart}").scroll_into_view_if_needed()
        page.wait_for_function(
            "([name, n]) => document.querySelector(`#chart-sweep-${name} .js-plotly-plot`)?.data?.[0]?.y?.length === n",
            arg=[chart, 4 if chart == "predicted" else 5],
        )
        read = page.inner_text(f"#chart-sweep-{chart} .read")
        assert "1 × 32: " in read and "32 × 1: out of memory." in read
        assert ("4 × 8: The memory of Odd can't be predicted: no shapes." in read) == (chart == "predicted")
    words = graph(page, "sweep-predicted", "g.layout.annotations.map(({ text }) => text)")
    assert words == ["not predicted", "out of memory"]
    ticks = graph(page, "sweep-throughput", "g.layout.xaxis.ticktext")
    assert ticks[0].replace("<br>", " ") == "1 × 32"

    page.reload()
    page.wait_for_selector("#sweep-status[data-state=finished]")
    assert study_of(page) == study
    assert trials(page, "failed") == 1


def test_a_sweep_is_stopped_and_goes_on(open_page: OpenPage) -> None:
    page = open_view(open_page)
    assert page.locator("#sweep-stop").is_disabled()
    ask(page, "learning-rate")
    start(page)
    wait_for_state(page, "running")
    assert page.locator("#sweep-start").is_disabled()
    assert page.get_attribute("#sweep-start", "title") == "A sweep is under way."
    page.click("#sweep-stop:enabled")
    wait_for_state(page, "stopped")
    page.click("#sweep-go-on:enabled")
    wait_for_state(page, "finished")
    assert trials(page, "finished") == 9


def test_the_best_trial_is_told_and_its_settings_are_taken_over_into_the_form(open_page: OpenPage) -> None:
    page = open_view(open_page)
    page.click("#sweep-preset-own")
    row(page, 0).locator("select").select_option("effective_batch")
    row(page, 0).locator(".row-text").fill("8, 24, 64")
    wait_for_plan(page)
    start(page)
    wait_for_state(page, "finished")
    assert "Trial 1" in page.inner_text("#sweep-best") and "24" in page.inner_text(".best-values")
    assert page.locator(".trials tr.best").get_attribute("data-trial") == "1"
    page.click("#sweep-use")
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    page.wait_for_function(f"() => String(({FORM})()) === '8,3'")


def test_of_trials_that_are_equal_but_for_rounding_none_is_better(open_page: OpenPage) -> None:
    page = open_view(open_page)
    run(page, "cost")
    others = trials(page, "finished") - 1
    assert f"{others} other trials have the same loss but for rounding" in page.inner_text("#sweep-best")


def test_a_trial_opens_its_run_in_the_live_view(open_page: OpenPage) -> None:
    page = open_view(open_page)
    run(page, "cost")
    link = page.locator(".trials tbody a").first
    opened = re.search(r"run=(\d+)", str(link.get_attribute("href")))
    assert opened
    link.click()
    page.wait_for_selector("#tab-train-button[aria-selected=true]")
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run}`)", arg=opened[1])
    assert "study" not in page.url and f"run={opened[1]}" in page.url


def test_two_settings_are_drawn_against_each_other_and_told_in_words(open_page: OpenPage) -> None:
    page = open_view(open_page)
    of_two_fields(page)
    assert page.inner_text(".sweep-trials").startswith("6 trials")
    start(page)
    wait_for_state(page, "finished")
    page.locator("#chart-sweep-parallel").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('#chart-sweep-parallel .js-plotly-plot')?.data?.length === 6")
    assert "The best 5 trials in words, of 6:" in page.inner_text("#chart-sweep-parallel .read")
    assert page.locator("#chart-sweep-parallel .main-svg:not([aria-hidden=true])").count() == 0
    shares = page.locator(".importance strong").all_inner_texts()
    assert shares == ["66.7%", "33.3%"]
    cells = page.locator(".sweep-heat td[data-level]")
    assert cells.count() == 6
    # the lowest loss is the strongest
    levels = {float(text): level for text, level in zip(
        cells.all_inner_texts(), cells.evaluate_all("all => all.map((cell) => Number(cell.dataset.level))"), strict=True
    )}  # fmt: skip
    assert levels[min(levels)] == 6 and levels[max(levels)] == 0
    page.select_option("#sweep-map-rows", "training.learning_rate")
    page.select_option("#sweep-map-columns", MICRO)
    assert page.locator(".sweep-heat tbody tr").count() == 3
    page.select_option("#sweep-across", MICRO)
    page.wait_for_function(
        "() => document.querySelector('#chart-sweep-field .js-plotly-plot').layout.xaxis.title.text === 'Micro-batch'"
    )
    assert "Micro-batch 2" in page.inner_text("#chart-sweep-field .read")


def test_trials_are_sorted_by_any_column(open_page: OpenPage) -> None:
    page = open_view(open_page)
    run(page, "learning-rate")

    def order() -> list[str]:
        return page.locator(".trials tbody tr").evaluate_all("all => all.map((row) => row.dataset.trial)")  # type: ignore[no-any-return]

    page.click(".trials thead button >> text=Loss")
    assert page.locator(".trials tbody tr").first.get_attribute("class") == "best"
    assert page.locator(".trials th[aria-sort=ascending]").inner_text().startswith("Loss")
    rising = order()
    page.click(".trials thead button >> text=Loss")
    falling = order()
    assert (falling[0], falling[-1]) == (rising[-1], rising[0]) != (rising[0], rising[-1])
    assert page.evaluate("document.activeElement.innerText") == "Loss"


def test_the_noise_of_the_gradient_stands_beside_the_effective_batches_with_its_source(open_page: OpenPage) -> None:
    page = open_view(open_page)
    run(page, "effective-batch")
    said = page.inner_text("#sweep-noise")
    assert "about 41 examples" in said and "29 to 60" in said and "McCandlish" in said


def test_the_newest_sweep_is_shown_and_another_by_its_name(open_page: OpenPage) -> None:
    page = open_view(open_page)
    first = run(page, "cost")
    second = run(page, "learning-rate")
    other = open_page(ADDRESS, ready="#sweep-status[data-state=finished]")
    assert other.locator("#sweep-study option:checked").get_attribute("value") == second
    other.select_option("#sweep-study", first)
    other.wait_for_selector(".trials tr[data-state=failed]")
    assert study_of(other) == first
    unknown = open_page(f"{ADDRESS}&study=no-such-sweep", ready="#sweep-status[data-state=finished]")
    assert study_of(unknown) is None


# ---- for everyone ----


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_a_sweep_on_a_phone_and_on_a_screen(open_page: OpenPage, theme: str) -> None:
    page = open_view(open_page, color_scheme=theme, viewport=PHONE)
    of_two_fields(page)
    start(page)
    wait_for_state(page, "finished")
    page.wait_for_timeout(1500)
    assert violations(page) == []
    wide = page.evaluate(
        """() => [...document.querySelectorAll("#sweep *, #sweep-settings *")]
            .filter((e) => e.checkVisibility() && !e.closest("svg, .trials-scroll, .map-scroll, .aloud, .modebar"))
            .filter((e) => getComputedStyle(e).opacity !== "0" && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.className}`)"""
    )
    assert wide == []
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_timeout(1000)
    assert violations(page) == []


def test_tab_reaches_every_control_of_a_sweep_and_shows_where_it_is(open_page: OpenPage) -> None:
    page = open_view(open_page)
    of_two_fields(page)
    start(page)
    wait_for_state(page, "finished")
    page.reload()
    page.wait_for_selector(".sweep-heat td")
    page.wait_for_timeout(2500)
    check_keyboard(page)


def test_every_control_of_a_sweep_has_a_name_and_its_words_are_turkish(open_page: OpenPage) -> None:
    page = open_view(open_page, locale="tr-TR")
    assert page.inner_text("#sweep-start") == "Taramayı başlat"
    row(page, 0).locator("text=aralık").click()
    assert nameless(page) == []
    run(page, "cost")
    words = page.inner_text("#sweep")
    assert "bellek yetmedi" in words and "sweep." not in words and "{" not in words


# ---- in earnest ----


def test_a_real_sweep_finds_the_better_learning_rate(open_page: OpenPage, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as real:
        page = open_page(url=real.url)
        set_up(page, model="tiny-llama", data="sums", micro_batch=2, steps=2, updates=12)
        page.wait_for_timeout(1500)
        page.click("#tab-explore-button")
        page.click("#view-sweep")
        page.click("#sweep-preset-own")
        row(page, 0).locator(".row-text").fill("1e-6, 1e-2")
        page.fill("#sweep-updates", "")
        wait_for_plan(page)
        assert page.inner_text(".sweep-trials").startswith("2 trials")
        assert page.locator(".sweep-plans li").all_inner_texts() == ["2 × 2 = 4"]
        start(page)
        wait_for_state(page, "finished", 150)
        assert trials(page, "finished") == 2
        assert page.locator(".trials tr.best").get_attribute("data-trial") == "1"
        assert "training loss" in page.inner_text("#sweep-best")
        page.click("#sweep-use")
        page.wait_for_selector("#tab-train-button[aria-selected=true]")
        page.wait_for_function("() => Number(document.querySelector('#learning-rate input')?.value) === 0.01")
