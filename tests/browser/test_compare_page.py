"""The Compare view in a browser: runs are chosen, drawn over each other, and told apart; a link shows it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from engine import Store
from tests.browser.access import violations
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.browser.person import set_up, start, wait_for_state
from tests.engine.compared_runs import FACTS, config, trained
from tests.engine.store_runs import open_store

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOSSES = [4.0, 3.0, 2.0, 1.5, 1.25, 1.0, 0.9, 0.8, 0.7, 0.6]
READY = "#view-compare[aria-selected=true]"


@pytest.fixture(scope="module")
def runs(studio: Studio) -> Iterator[dict[str, int]]:
    """Three that differ in seeds alone, one of another batch on another device, one that was stopped."""
    with open_store(studio.home) as store:
        seeds = {
            f"seed-{seed}": trained(
                store,
                [loss + seed / 100 for loss in LOSSES],
                settings=config(training__seed=seed),
                evaluations=[0.75, 0.5],
            )
            for seed in (1, 2, 3)
        }
        other = config(training__per_device_train_batch_size=2, training__gradient_accumulation_steps=32)
        other_facts = {**FACTS, "device": "NVIDIA H200"}
        large = trained(store, LOSSES[:6], settings=other, facts=other_facts, total_tokens=None)
        stopped = trained(store, LOSSES[:4], settings=config(model="tiny-bert"), state="stopped")
    yield {**seeds, "large": large, "stopped": stopped}


def comparing(*chosen: int, **more: str) -> str:
    asked = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/?tab=explore&view=compare&runs={','.join(map(str, chosen))}{asked}"


def wait_for_lines(page: Page, chart: str, least: int) -> None:
    page.wait_for_function(
        "([chart, least]) =>"
        " (document.querySelector(`#chart-compare-${chart} .js-plotly-plot`)?.data?.length ?? 0) >= least",
        arg=[chart, least],
    )


def drawn(page: Page, chart: str, expression: str) -> Any:
    return page.evaluate(
        f"() => {{ const g = document.querySelector('#chart-compare-{chart} .js-plotly-plot'); return {expression}; }}"
    )


def cells(page: Page, table: str, name: str) -> list[str]:
    """The values of the row that is called so."""
    row = page.locator(f"#compare-{table} tbody tr", has=page.locator("th", has_text=re.compile(f"^{name}")))
    return [cell.strip() for cell in row.first.locator("td").all_inner_texts()]


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_without_runs_the_newest_are_offered_and_the_page_says_what_will_appear(
    open_page: OpenPage, runs: dict[str, int]
) -> None:
    page = open_page("/?tab=explore", ready=READY)
    page.wait_for_selector("#compare-offers li")
    offered = [int(text) for text in page.locator("#compare-offers strong").all_inner_texts()]
    # finished ones first
    assert offered == [runs["large"], runs["seed-3"], runs["seed-2"], runs["seed-1"], runs["stopped"]]
    assert "The training loss of each run" in page.inner_text("#chart-compare-loss")
    page.fill("#compare-search", "bert")
    page.wait_for_function("() => document.querySelectorAll('#compare-offers li').length === 1")
    page.fill("#compare-search", "no such thing")
    page.wait_for_function("() => document.querySelector('.compared-note').innerText.includes('No run is like that')")
    page.fill("#compare-search", "llama")
    page.wait_for_function("() => document.querySelectorAll('#compare-offers li').length === 4")
    for name in ("seed-1", "large"):
        page.check(f"[data-offered='{runs[name]}']")
    wait_for_lines(page, "loss", 2)
    assert query(page)["runs"] == f"{runs['seed-1']},{runs['large']}"
    page.click(f"li[data-run='{runs['seed-1']}'] button")
    page.wait_for_function("() => document.querySelectorAll('.compared-chosen li').length === 1")
    assert query(page)["runs"] == str(runs["large"])


def test_runs_lie_over_each_other_on_any_axis_in_one_colour_everywhere(
    open_page: OpenPage, runs: dict[str, int]
) -> None:
    page = open_page(comparing(runs["seed-1"], runs["large"]), ready=READY)
    wait_for_lines(page, "loss", 2)
    colours = drawn(page, "loss", "g.data.map((trace) => trace.line.color)")
    assert len(set(colours)) == 2
    assert drawn(page, "loss", "g.data[0].x") == list(range(1, 11))
    for chart in ("memory", "throughput", "learning-rate", "grad-norm"):
        assert drawn(page, chart, "g.data.map((trace) => trace.line.color)") == colours
    # evaluations are dashed, and only one of the two has any
    assert drawn(page, "eval-loss", "g.data.map((trace) => [trace.line.dash, trace.line.color])") == [
        ["dash", colours[0]]
    ]
    for axis, x in (("total_examples", [32, 64]), ("total_targets", [96, 192]), ("seconds", [0.5, 1.0])):
        page.check(f"#compare-axis input[value={axis}]", force=True)
        assert drawn(page, "loss", "g.data[0].x.slice(0, 2)") == x
        assert query(page)["axis"] == axis
    page.check("#compare-axis input[value=total_tokens]", force=True)
    # of the other run nobody counted them, which is said
    page.wait_for_function("() => document.querySelector('#chart-compare-loss .js-plotly-plot').data.length === 1")
    assert f"Trained before tokens were counted: {runs['large']}" in page.inner_text("#compare-marks")


def test_figures_differences_and_what_is_unfair_stand_below_each_other(
    open_page: OpenPage, runs: dict[str, int]
) -> None:
    page = open_page(comparing(runs["seed-1"], runs["large"], runs["stopped"]), ready=READY)
    page.wait_for_selector("#compare-figures tbody tr")
    assert cells(page, "figures", "Batch") == ["8 × 4 = 32", "2 × 32 = 64", "8 × 4 = 32"]
    assert cells(page, "figures", "State") == ["Finished", "Finished", "Stopped"]
    assert cells(page, "figures", "Last training loss") == ["0.610", "1.000", "1.500"]
    # 96 targets in half a second; the first 3 updates are left out
    assert cells(page, "figures", "Targets a second") == ["192.0", "192.0", "192.0"]
    assert "The first 3 updates are left out, or the first 10 %" in page.inner_text("#compare-figures")
    assert cells(page, "differences", "Micro-batch") == ["8", "2", "8"]
    assert cells(page, "differences", "Device") == ["CPU", "NVIDIA H200", "CPU"]
    assert page.locator("#compare-differences", has_text="training.learning_rate").count() == 0
    codes = page.locator("#compare-marks li").evaluate_all("(lines) => lines.map((line) => line.dataset.code)")
    assert {"compare.device", "compare.batch", "compare.unfinished"} <= set(codes)
    assert f"{runs['seed-1']}, {runs['stopped']}: CPU · {runs['large']}: NVIDIA H200" in page.inner_text(
        "#compare-marks"
    )


def test_a_loss_to_be_reached_is_drawn_and_told_for_each_run(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page(comparing(runs["seed-1"], runs["large"]), ready=READY)
    wait_for_lines(page, "loss", 2)
    page.fill("#compare-below", "0.95")
    page.locator("#compare-below").blur()
    page.wait_for_function("() => document.querySelector('#compare-figures').innerText.includes('never')")
    # the first at or under 0.95 is 0.9 + 0.01, after 7 updates
    assert cells(page, "figures", "training loss ≤ 0.950: update") == ["7", "never"]
    assert cells(page, "figures", "training loss ≤ 0.950: targets") == ["672", "never"]
    assert drawn(page, "loss", "[g.layout.shapes[0].y0, g.layout.annotations[0].x]") == [0.95, 7]
    page.select_option("#compare-metric", "eval_loss")
    page.wait_for_function("() => document.querySelector('#compare-figures').innerText.includes('evaluation loss ≤')")
    assert drawn(page, "loss", "g.layout.shapes?.length ?? 0") == 0
    assert cells(page, "figures", "evaluation loss ≤ 0.950: update") == ["9", "never"]
    assert {"below": "0.95", "metric": "eval_loss"}.items() <= query(page).items()


def test_runs_that_differ_in_seeds_alone_are_a_band_and_a_spread(open_page: OpenPage, runs: dict[str, int]) -> None:
    seeds = [runs[f"seed-{seed}"] for seed in (1, 2, 3)]
    page = open_page(comparing(*seeds), ready=READY)
    # two edges, a mean, and the runs themselves
    wait_for_lines(page, "loss", 6)
    low, high, mean = (drawn(page, "loss", f"g.data[{place}].y[0]") for place in range(3))
    # of 4.01, 4.02 and 4.03 the mean is 4.02 and the deviation 0.01
    assert (low, high, mean) == (pytest.approx(4.01), pytest.approx(4.03), pytest.approx(4.02))
    assert cells(page, "spread", "Last training loss") == ["0.620 ± 0.010 (n = 3)"]
    page.click("#compare-single")
    page.wait_for_function("() => document.querySelector('#chart-compare-loss .js-plotly-plot').data.length === 3")
    assert query(page)["lines"] == "single"


def test_a_link_shows_the_same_comparison_in_another_browser(
    open_page: OpenPage, runs: dict[str, int], studio: Studio
) -> None:
    page = open_page(
        comparing(runs["large"], runs["seed-2"]), ready=READY, permissions=["clipboard-read", "clipboard-write"]
    )
    wait_for_lines(page, "loss", 2)
    page.check("#compare-axis input[value=seconds]", force=True)
    page.click("#compare-smooth")
    page.click("#compare-log")
    page.fill("#compare-below", "1.2")
    page.locator("#compare-below").blur()
    page.click("#copy-link")
    page.wait_for_function("() => document.querySelector('#copy-link').innerText === 'Copied'")
    link = page.evaluate("navigator.clipboard.readText()")
    other = open_page(link.removeprefix(studio.url), ready=READY)
    wait_for_lines(other, "loss", 4)
    assert drawn(other, "loss", "[g.layout.yaxis.type, g.layout.xaxis.title.text]") == ["log", "seconds of training"]
    assert other.input_value("#compare-below") == "1.2"
    assert [int(text.split()[-1]) for text in other.locator(".compared-chosen .run-mark").all_inner_texts()] == [
        runs["large"], runs["seed-2"]
    ]  # fmt: skip
    # who looks at another tab and comes back finds it, and the other tab's address says nothing of it
    other.click("#tab-memory-button")
    assert "runs" not in query(other)
    other.click("#tab-explore-button")
    other.wait_for_function("() => new URL(location.href).searchParams.has('runs')")


def test_another_part_of_the_page_opens_a_comparison(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page("/?tab=runs", ready="#tab-runs-button[aria-selected=true]")
    address = page.evaluate(
        "[...document.querySelectorAll('link[rel=modulepreload]')].find((l) => l.href.endsWith('/address.js')).href"
    )
    page.evaluate(f"import('{address}').then((module) => module.compare([{runs['seed-1']}, {runs['seed-3']}]))")
    page.wait_for_selector("#tab-explore-button[aria-selected=true]")
    wait_for_lines(page, "loss", 2)
    page.go_back()
    page.wait_for_selector("#tab-runs-button[aria-selected=true]")


def test_more_than_twelve_runs_are_refused_in_a_sentence(
    open_page: OpenPage, runs: dict[str, int], studio: Studio
) -> None:
    with open_store(studio.home) as store:
        many = [trained(store, LOSSES[:4], settings=config(training__seed=seed)) for seed in range(10, 23)]
    page = open_page(comparing(*many), ready=READY)
    page.wait_for_selector(".compared-fault:not([hidden])")
    assert "13 runs are too many to compare at once. Choose at most 12." in page.inner_text(".compared-fault")
    page.click(f"li[data-run='{many[0]}'] button")
    page.wait_for_selector(".compared-fault", state="hidden")
    wait_for_lines(page, "throughput", 12)
    page.click("#compare-picker summary")
    page.wait_for_function("() => document.querySelector('.compared-note').innerText.includes('12 runs are chosen')")
    assert page.locator("#compare-offers input:not(:checked)").first.is_disabled()


def test_a_run_that_is_not_there_is_told_and_can_be_taken_out(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page(comparing(runs["seed-1"], 99999), ready=READY)
    page.wait_for_selector(".compared-fault:not([hidden])")
    assert "99999" in page.inner_text(".compared-fault")
    page.click("li[data-run='99999'] button")
    wait_for_lines(page, "loss", 1)


def test_a_run_under_way_grows_in_the_comparison(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=40)
    run = start(page)
    page.evaluate("() => document.querySelector('#tab-explore-button').click()")
    page.wait_for_selector("#compare-offers li")
    page.fill("#compare-search", str(run))
    page.wait_for_selector(f"[data-offered='{run}']")
    page.check(f"[data-offered='{run}']")
    page.wait_for_function(
        "() => document.querySelector('#chart-compare-loss .js-plotly-plot')?.data?.[0]?.x?.length === 40",
        timeout=120_000,
    )
    page.wait_for_function("() => document.querySelector('#compare-figures .chip')?.dataset.state === 'finished'")
    page.click("#tab-train-button")
    wait_for_state(page, "finished")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_a_comparison(open_page: OpenPage, runs: dict[str, int], theme: str) -> None:
    page = open_page(comparing(*runs.values(), below="1.2"), ready=READY, color_scheme=theme)
    wait_for_lines(page, "loss", 5)
    page.click("#compare-picker summary")
    page.wait_for_selector("#compare-offers li")
    assert violations(page) == []


def test_on_a_phone_nothing_is_wider_than_the_screen_and_tables_scroll(
    open_page: OpenPage, runs: dict[str, int]
) -> None:
    page = open_page(comparing(*runs.values()), ready=READY, viewport=PHONE)
    page.wait_for_selector("#compare-figures tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    wide = page.evaluate(
        "() => [...document.querySelectorAll('#compare :is(p, ul, h3, .compared-scroll)')]"
        ".filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    scrolls = "(e) => e.scrollWidth > e.clientWidth"
    assert page.locator("#compare-figures .compared-scroll").evaluate(scrolls)


def test_the_views_are_switched_by_keyboard_and_stand_in_the_address(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page(comparing(runs["seed-1"]), ready=READY)
    page.focus("#view-compare")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#view-sweep", "aria-selected") == "true"
    assert not page.is_visible("#compare") and query(page)["view"] == "sweep"
    page.reload()
    page.wait_for_selector("#view-sweep[aria-selected=true]")
    page.keyboard.press("Home")
    page.click("#view-compare")
    page.wait_for_selector("#chart-compare-loss")
    assert query(page)["view"] == "compare"


def test_in_turkish_every_word_is(open_page: OpenPage, runs: dict[str, int]) -> None:
    page = open_page(comparing(runs["seed-1"], runs["large"], below="0.95"), ready=READY, locale="tr-TR")
    page.wait_for_selector("#compare-figures tbody tr")
    assert cells(page, "figures", "Parti") == ["8 × 4 = 32", "2 × 32 = 64"]
    assert cells(page, "figures", "eğitim kaybı ≤ 0,950: güncelleme") == ["7", "hiç"]
    assert "Çalışmalar farklı cihazlarda yapıldı" in page.inner_text("#compare-marks")
    assert not re.search(r"\bcompared?\.", page.inner_text("#compare"))


def test_what_a_config_holds_is_text_and_never_markup(
    open_page: OpenPage, studio: Studio, runs: dict[str, int]
) -> None:
    evil = "<img src=x onerror=document.title='owned'>"
    store = Store(studio.home)
    try:
        run = trained(store, LOSSES, settings=config(model=evil), facts={**FACTS, "device": evil})
    finally:
        store.close()
    page = open_page(comparing(run, runs["seed-1"]), ready=READY)
    page.wait_for_selector("#compare-figures tbody tr")
    assert page.locator("#compare img").count() == 0
    assert evil in page.inner_text("#compare-figures")
    assert "owned" not in page.title()


def test_settings_that_differ_have_no_more_figures_than_tell_them_apart(open_page: OpenPage, studio: Studio) -> None:
    rates = (3e-4 / 2**0.5, 6e-4, 6e-4 * (1 + 1e-9))
    with open_store(studio.home) as store:
        learned = [trained(store, LOSSES, settings=config(training__learning_rate=rate)) for rate in rates]
        seeded = [trained(store, LOSSES, settings=config(training__seed=seed)) for seed in (1234567, 2)]
    page = open_page(comparing(*learned[:2]), ready=READY)
    page.wait_for_selector("#compare-differences tbody tr")
    assert cells(page, "differences", "Learning rate") == ["2.12132e-4", "6e-4"]
    page = open_page(comparing(*learned[1:]), ready=READY)
    page.wait_for_selector("#compare-differences tbody tr")
    assert len(set(cells(page, "differences", "Learning rate"))) == 2
    page = open_page(comparing(*seeded), ready=READY)
    page.wait_for_selector("#compare-differences tbody tr")
    assert cells(page, "differences", "Seed") == ["1234567", "2"]
