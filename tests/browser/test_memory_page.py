"""A person asks what will fit, sees why, and measures it; predictions and measurements are made up, the page is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from engine import RunConfig, Store
from engine.events import RunPlanned, StateChanged
from tests.browser.conftest import PHONE, OpenPage, Studio, serving
from tests.browser.person import choose, graph, set_up, start, wait_for_state, wait_for_update
from tests.browser.test_connection import asked, look_away
from tests.engine.store_runs import sample, update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROGRAM = ("-m", "tests.browser.memory_program")
MIB = 2**20
PLANS = ["1 × 32", "2 × 16", "4 × 8", "8 × 4", "16 × 2", "32 × 1"]
PLACES = """() => ['#memory-parts', '#chart-memory-curve', '.fit-found', '#chart-xray', '#xray-start', '#xray-table']
  .map((part) => Math.round(document.querySelector(part).getBoundingClientRect().top + scrollY))"""
FORM = (
    "() => ['micro-batch', 'accumulation-steps'].map((name) => document.querySelector(`#${name} input`)?.value).join()"
)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with serving(tmp_path_factory.mktemp("home"), start=PROGRAM) as started:
        yield started


def open_tab(open_page: OpenPage, **options: Any) -> Page:
    """The Memory tab once it has its figures."""
    page = open_page("/?tab=memory", ready="#memory-peak", **options)
    wait_for_curve(page)
    return page


def wait_for_peak(page: Page, words: str) -> None:
    page.wait_for_function("words => document.querySelector('#memory-peak').innerText.includes(words)", arg=words)


def wait_for_curve(page: Page) -> None:
    page.wait_for_function(
        "() => document.querySelector('#chart-memory-curve .js-plotly-plot')?.data?.[0]?.y?.length > 0"
        " && !document.querySelector('#chart-memory-curve .stale')"
    )


def budget(page: Page, kind: str, **values: Any) -> None:
    page.click(f"#fit-budget >> text={kind}")
    if "gib" in values:
        page.fill("#fit-gib", str(values["gib"]))
    if "card" in values:
        page.select_option("#fit-card", values["card"])


def measure(page: Page, what: str) -> None:
    page.click("#xray-start" if what == "xray" else "#fit-try")
    status = "#xray-status" if what == "xray" else "#fit-status"
    page.wait_for_selector(f"{status}[data-state=running]", state="visible")
    page.wait_for_selector(f"{status}[data-state=finished]", state="visible")


def ticks(page: Page) -> list[str]:
    labels: list[str] = graph(page, "memory-curve", "g.layout.xaxis.ticktext")
    return labels


def test_the_tab_says_the_peak_its_parts_and_its_moment_by_itself_and_follows_the_form(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    peak = page.inner_text("#memory-peak")
    assert re.search(r"547 MiB\s+of 1\.00 GiB on this device \(CPU\)\s*fits, 477 MiB to spare", peak)
    assert "in the backward pass of micro-batch 2, at bert.encoder.layer.5.output.dense; 33 % of it is activ" in peak
    parts = page.inner_text("#memory-parts").split("\n")
    assert [part for part in parts if part.strip()][:3] == ["weights", "86.7 MiB", "16 %"]
    assert page.locator("#memory-parts .parts-bar span").count() == 5
    assert "8 × 4, rows of 128 tokens" in page.inner_text("#memory .notes")
    assert "come on top" in page.inner_text("#memory .unseen")
    page.click("#tab-train-button")
    page.fill("#micro-batch input", "16")
    page.click("#tab-memory-button")
    wait_for_peak(page, "747 MiB")
    assert "minilm · stdlib-docstrings · text-classification · 16 × 4" in page.inner_text("#memory-settings")


def test_the_curve_draws_each_plan_against_the_budget_and_marks_the_one_that_is_set(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    assert ticks(page) == [*PLANS[:3], "<b>8 × 4</b>", *PLANS[4:]]
    sums = "g.data[0].y.map((_, at) => g.data.slice(0, 5).reduce((sum, trace) => sum + trace.y[at], 0))"
    heights = graph(page, "memory-curve", sums)
    assert heights == sorted(heights)
    assert heights[3] * 1024 == pytest.approx(547, abs=1)
    lines = "g.layout.shapes.filter((shape) => shape.type === 'line').map((shape) => shape.y0)"
    assert graph(page, "memory-curve", lines) == [1]
    said = page.text_content("#chart-memory-curve .read") or ""
    assert "8 × 4: 547 MiB, of it 182 MiB activations; fits." in said
    assert "32 × 1: 1.04 GiB, of it 730 MiB activations; does not fit." in said

    budget(page, "a number", gib=0.5)
    wait_for_peak(page, "does not fit by 35.0 MiB")
    assert graph(page, "memory-curve", lines) == [0.5]
    budget(page, "a card", card="h100")
    wait_for_peak(page, "of 80.0 GiB on one NVIDIA H100")
    page.wait_for_selector("#memory .unseen >> text=CUDA context, fragmentation")
    page.wait_for_function(
        "() => document.querySelector('#chart-memory-curve .js-plotly-plot')"
        ".layout.shapes.every((shape) => shape.type === 'rect')"
    )


def test_the_largest_that_fits_goes_into_the_form_at_a_press(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    page.wait_for_selector("#fit-choices .main >> text=16 × 2 = 32")
    assert "peak 747 MiB of 1.00 GiB" in page.inner_text("#fit-choices .main")
    page.fill("#fit-effective", "48")
    page.wait_for_selector("#fit-choices .main >> text=24 × 2 = 48")
    page.click("#fit-choices .main button")
    page.wait_for_selector("#memory-settings >> text=24 × 2")
    page.wait_for_selector("#fit-choices .main >> text=in the form")
    wait_for_peak(page, "948 MiB")
    page.click("#tab-train-button")
    page.wait_for_function(f"() => ({FORM})() === '24,2'")
    page.reload()
    page.wait_for_function(f"() => ({FORM})() === '24,2'")


def test_what_keeps_no_product_is_left_to_the_person_and_what_never_fits_says_what_would_help(
    open_page: OpenPage,
) -> None:
    page = open_tab(open_page)
    page.fill("#fit-effective", "37")
    page.wait_for_selector("#fit-choices >> text=1 × 37 = 37")
    assert "Larger micro-batches fit where the effective batch may be another" in page.inner_text("#fit-choices")
    assert page.locator("#fit-choices button").count() == 4
    assert page.evaluate(FORM) in ("8,4", ",")
    budget(page, "a number", gib=0.3)
    page.wait_for_selector("#memory-fit >> text=Not even one row fits: it takes 372 MiB of 307 MiB.")
    page.wait_for_selector("#memory-fit [data-saver=bf16] >> text=still too much")
    page.fill("#fit-effective", "0")
    page.wait_for_timeout(600)
    assert "Not even one row fits" in page.inner_text("#memory-fit")


def test_what_was_found_for_another_number_is_pale_while_a_field_holds_none(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    page.wait_for_selector("#fit-choices .main >> text=16 × 2 = 32")
    page.wait_for_selector(".fit-found:not(.stale)")
    for wrong in ("", "0", "2.5"):
        page.fill("#fit-effective", wrong)
        page.wait_for_selector(".fit-found.stale")
        assert page.get_attribute("#fit-effective", "aria-invalid") == "true"
    page.fill("#fit-effective", "48")
    page.wait_for_selector(".fit-found:not(.stale) .main >> text=24 × 2 = 48")
    assert page.get_attribute("#fit-effective", "aria-invalid") is None
    assert page.inner_text("#fit-try") == "Try one step of 24 × 2 here"
    budget(page, "a number", gib="")
    page.wait_for_selector(".fit-found.stale")


def test_one_real_step_stands_beside_its_prediction(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    page.wait_for_selector("#fit-try >> text=Try one step of 16 × 2 here")
    measure(page, "trial")
    page.wait_for_selector(
        "#memory-fit .compared >> text=/16 × 2: measured 749 MiB, predicted 747 MiB, 0\\.\\d+ % apart/"
    )
    page.wait_for_function(
        "() => document.querySelector('#chart-memory-curve .js-plotly-plot').data[5].x.join() === '4'"
    )
    assert "16 × 2: measured 749 MiB." in (page.text_content("#chart-memory-curve .read") or "")


def test_an_x_ray_shows_plan_beside_plan_and_a_reload_brings_it_back(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    checked = page.eval_on_selector_all("#xray-plans input:checked", "chosen => chosen.map((input) => input.value)")
    assert checked == ["8 × 4", "32 × 1"]
    page.click("#xray-plans >> text=1 × 32")
    measure(page, "xray")

    def whole(shown: Page) -> None:
        shown.wait_for_function("() => document.querySelector('#chart-xray .js-plotly-plot')?.data?.length === 18")
        axes = graph(shown, "xray", "[g.layout.yaxis.range, g.layout.yaxis2.range, g.layout.yaxis3.range]")
        assert axes[0] == axes[1] == axes[2]
        headings = graph(
            shown, "xray", "g.layout.annotations.filter((a) => a.text.startsWith('<b>')).map((a) => a.text)"
        )
        assert headings == ["<b>8 × 4: peak 548 MiB</b>", "<b>1 × 32: peak 371 MiB</b>", "<b>32 × 1: peak 1.04 GiB</b>"]
        # activations shrink with the micro-batch; gradients and optimizer state stay
        most = "[0, 6, 12].map((first) => [1, 2, 3].map((at) => Math.round(1024 * Math.max(...g.data[first + at].y))))"
        (grads, state, wide), (grads_one, state_one, thin), (grads_all, state_all, all_of_it) = graph(
            shown, "xray", most
        )
        assert grads == grads_one == grads_all == 87 and state == state_one == state_all == 173
        assert thin * 31 < all_of_it and wide * 3.9 < all_of_it
        shown.wait_for_selector("#xray-words >> text=/8 × 4: measured 548 MiB, predicted 547 MiB/")
        assert "8 × 4: peak 548 MiB in the backward pass of micro-batch" in (
            shown.text_content("#chart-xray .read") or ""
        )
        rows = shown.eval_on_selector_all("#xray-table tbody tr", "rows => rows.map((row) => row.innerText)")
        assert (
            re.split(r"\s*\t\s*|\n", rows[0])[0] == "bert.embeddings.word_embeddings.weight" and "89.4 MiB" in rows[0]
        )
        assert any("8 × 128 × 1,536" in row and "activations" in row for row in rows)

    whole(page)
    page.click("#xray-plan >> text=32 × 1")
    page.wait_for_selector("#xray-table >> text=32 × 128 × 1,536")
    page.reload()
    wait_for_curve(page)
    whole(page)


def test_a_measurement_waits_for_a_run_and_can_be_stopped(open_page: OpenPage, tmp_path: Path) -> None:
    with serving(tmp_path / "home", start=PROGRAM) as own:
        page = open_page(url=own.url)
        set_up(page, model="tiny-bert", data="sentiment", updates=100_000)
        run = start(page)
        wait_for_update(page, 1)
        page.click("#tab-memory-button")
        wait_for_curve(page)
        page.click("#xray-start")
        page.wait_for_selector(f"#xray-status >> text=waits for run {run}")
        assert page.locator("#xray-start").is_disabled() and page.locator("#fit-try").is_disabled()
        assert re.fullmatch(r"Measurement \d+ is under way\.", page.get_attribute("#fit-try", "title") or "")
        page.click("#xray-stop")
        page.wait_for_selector("#xray-status[data-state=stopped] >> text=what was measured until then stays")
        page.click("#tab-train-button")
        page.click("#stop")
        wait_for_state(page, "stopped")
        page.close()


def test_a_plan_that_does_not_fit_is_said_and_the_others_are_shown(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#accumulation-steps input", "8")
    page.click("#tab-memory-button")
    page.wait_for_selector("#memory-settings >> text=8 × 8")
    wait_for_curve(page)
    measure(page, "xray")
    page.wait_for_selector("#xray-words .faulty >> text=64 × 1: The device ran out of memory.")
    page.wait_for_function("() => document.querySelector('#chart-xray .js-plotly-plot').data.length === 6")


def test_settings_that_are_wrong_or_can_not_be_predicted_are_said_and_show_no_older_figure(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    page.click("#tab-train-button")
    choose(page, "data", "sums")
    choose(page, "model", "tiny-t5")
    page.click("#tab-memory-button")
    page.wait_for_selector("#memory-peak >> text=no fake of this model")
    assert page.inner_text("#memory-peak .amount") == "–"
    page.click("#tab-train-button")
    page.fill("#micro-batch input", "0")
    page.click("#tab-memory-button")
    page.wait_for_selector("#memory-settings .faulty >> text=“Micro-batch” must be at least 1")
    assert page.locator("#xray-start").is_disabled()
    wrong = "<img src=x onerror=alert(1)>"
    page.click("#tab-train-button")
    page.fill("#micro-batch input", "2")
    page.wait_for_function("document.querySelector('#arithmetic').innerText.includes('2 ×')")
    choose(page, "model", wrong)
    page.click("#tab-memory-button")
    page.wait_for_function("wrong => document.querySelector('#memory-peak').innerText.includes(wrong)", arg=wrong)
    assert page.locator("#memory img, #memory-settings img").count() == 0


def test_nothing_moves_while_figures_come_and_go(open_page: OpenPage) -> None:
    page = open_page("/?tab=memory", ready="#memory-peak")
    before = page.evaluate(PLACES)
    wait_for_curve(page)
    page.wait_for_selector("#fit-choices .main")
    assert page.evaluate(PLACES) == before
    budget(page, "a card")
    wait_for_peak(page, "RTX 4090")
    wait_for_curve(page)
    assert page.evaluate(PLACES) == before
    page.wait_for_selector("#fit-choices .main >> text=32 × 1")
    measure(page, "trial")
    measure(page, "xray")
    assert page.evaluate(PLACES)[:5] == before[:5]


def test_each_question_is_asked_once_and_none_where_nobody_looks(open_page: OpenPage) -> None:
    page = open_tab(open_page)
    page.wait_for_selector("#fit-choices .main")
    calls: list[str] = []
    page.on("request", lambda request: calls.extend(re.findall(r'"fn_name":\s*"(\w+)"', request.post_data or "")))
    budget(page, "a number", gib=0.9)
    page.wait_for_selector("#fit-choices >> text=of 922 MiB")
    page.wait_for_timeout(500)
    assert "fit" in calls and "predict" not in calls
    page.click("#tab-train-button")
    page.wait_for_timeout(500)
    calls.clear()
    page.fill("#micro-batch input", "4")
    page.wait_for_function("() => document.querySelector('#arithmetic').innerText.includes('4 × 4')")
    page.wait_for_timeout(2500)
    assert not {"predict", "fit", "measured", "savers"} & {*calls}
    page.click("#tab-memory-button")
    wait_for_peak(page, "447 MiB")
    assert "predict" in calls
    look_away(page, True)
    page.wait_for_timeout(700)
    assert asked(page, 3000) == 0
    look_away(page, False)


def test_a_phone_in_the_dark_shows_the_tab_without_scrolling_sideways(open_page: OpenPage) -> None:
    page = open_tab(open_page, viewport=PHONE, color_scheme="dark")
    measure(page, "xray")
    page.wait_for_function("() => document.querySelector('#chart-xray .js-plotly-plot')?.data?.length === 12")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    domains = graph(page, "xray", "[g.layout.yaxis.domain, g.layout.yaxis2.domain]")
    assert domains[0][0] > domains[1][1]  # under one another
    assert "1<br>× 32" in ticks(page)
    dark = graph(page, "xray", "g.data[0].fillcolor")
    page.click("#theme")
    page.wait_for_function(
        "dark => document.querySelector('#chart-xray .js-plotly-plot').data[0].fillcolor !== dark", arg=dark
    )


def test_a_run_that_ran_out_of_memory_says_what_held_it_and_what_would_save(
    open_page: OpenPage, studio: Studio
) -> None:
    values = {
        "phase": "backward", "micro_batch": 2, "requested_bytes": 48 * MIB, "budget_bytes": 512 * MIB,
        "weights_bytes": 87 * MIB, "gradients_bytes": 87 * MIB, "optimizer_bytes": 173 * MIB,
        "activations_bytes": 180 * MIB,
    }  # fmt: skip
    facts = {"predicted_bytes": 547 * MIB, "baseline_bytes": 700 * MIB, "capacity_bytes": 2**31}
    plan = {"micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 1498, "updates_total": 40}
    store = Store(studio.home)
    try:
        run = store.create_run(RunConfig.default().to_dict())
        store.write(StateChanged(run=run, state="running", activity="training"))
        store.write(RunPlanned(run=run, plan=plan, facts=facts))
        store.write(update(run, 1))
        store.write(sample(run, 0.5, resident=900 * MIB))
        store.write(sample(run, 1.0, resident=1100 * MIB))
        code = "run.out-of-memory.in-backward"
        store.write(StateChanged(run=run, state="failed", code=code, message="It ran out.", values=values))
        store.flush()
    finally:
        store.close()
    page = open_page(f"/?run={run}")
    wait_for_state(page, "failed")
    page.wait_for_selector("#out-of-memory [data-saver=halved] >> text=saves 100 MiB, predicted 447 MiB")
    said = page.inner_text("#out-of-memory")
    assert "Out of memory within 512 MiB" in said and "asked for 48.0 MiB more" in said
    assert page.inner_text("#out-of-memory .most") == "activations 180 MiB"
    page.wait_for_selector("[data-saver=checkpointing] >> text=/saves \\d+ MiB, predicted \\d+ MiB$/")

    page.wait_for_function("() => document.querySelector('#chart-memory .js-plotly-plot')?.data?.length === 5")
    dashed = graph(page, "memory", "[g.data[4].line.dash, g.data[4].y[0] * 1024, g.data[3].line.dash ?? 'solid']")
    assert dashed == ["dash", pytest.approx(1247), "solid"]
    assert page.is_visible("#chart-memory .key.dashed >> text=predicted")
    assert "predicted before the run, is at 1.22 GiB" in (page.text_content("#chart-memory .read") or "")

    page.click("[data-saver=halved]")
    page.wait_for_function(f"() => ({FORM})() === '4,8'")
    page.wait_for_function("() => document.querySelector('#arithmetic').innerText.includes('4 × 8 × 1 device = 32')")
