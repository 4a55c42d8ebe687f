"""A person trains in the browser, and the page keeps up with the run, whatever happens to the page."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.person import (
    choose,
    graph,
    points,
    set_up,
    start,
    stop,
    wait_for_points,
    wait_for_state,
    wait_for_update,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = 100_000
CHARTS = ("loss", "memory", "batch", "throughput", "grad-norm", "learning-rate")


def test_start_brings_live_points_and_the_run_ends_with_all_of_them(open_page: OpenPage) -> None:
    page = open_page()
    assert page.inner_text("#status .state") == "No run yet"
    set_up(page, model="tiny-llama", data="sums", updates=12)
    run = start(page)
    wait_for_points(page, "loss", 2)
    assert f"run {run}" in page.inner_text("#status")
    assert "tiny-llama · sums · text-generation · 2 × 4 = 8 examples an update · exact" in page.inner_text("#status")
    wait_for_state(page, "finished")
    for chart in CHARTS:
        wait_for_points(page, chart, 12 if chart != "memory" else 1)
    assert graph(page, "loss", "g.data[0].x") == list(range(1, 13))
    assert graph(page, "loss", "Array.isArray(g.data[0].y) && g.data[0].y.every(Number.isFinite)")
    assert graph(page, "batch", "g.data[0].y") == [8] * 12
    assert page.title() == f"Finished · run {run} · Birikim"
    assert page.locator("#window .cell.full").count() == 4


def test_pause_holds_the_run_a_step_moves_it_on_and_stop_ends_it(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=LONG)
    assert page.locator("#pause").is_disabled()
    start(page)
    wait_for_update(page, 1)
    assert page.locator("#resume").is_disabled()
    assert page.get_attribute("#resume", "title") == "The run is not paused."
    assert page.locator("#next-update").is_disabled()
    page.click("#pause")
    wait_for_state(page, "paused")
    held = page.inner_text("#status .place")
    page.wait_for_timeout(1500)
    assert page.inner_text("#status .place") == held

    update = int(re.findall(r"update ([\d,]+)", held)[0].replace(",", ""))
    page.click("#next-update")
    wait_for_update(page, update + 1)
    wait_for_state(page, "paused")
    full = page.locator("#window .cell.full").count()
    page.click("#next-micro-batch")
    page.wait_for_function("before => document.querySelectorAll('#window .cell.full').length !== before", arg=full)

    page.focus("#window .cell")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#window .lane-note >> text=Micro-batch 2 of 4")
    page.locator("#window .cell:focus").blur()
    page.wait_for_selector("#window .lane-note >> text=/of 4 micro-batches · (last|the window): loss/")

    page.click("#resume")
    wait_for_state(page, "running")
    wait_for_update(page, update + 3)
    stop(page)
    assert page.locator("#stop").is_disabled()
    assert page.get_attribute("#stop", "title") == "This run has ended."
    assert "Stopped; the weights are those after the last update." in page.inner_text("#status")


def test_a_reload_and_a_second_tab_show_the_run_whole_without_a_click(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=LONG)
    run = start(page)
    wait_for_update(page, 1)
    wait_for_points(page, "loss", 5)
    for second in (False, True):
        held = points(page)
        again = open_page(tab_of=page) if second else page
        if not second:
            page.reload()
        wait_for_points(again, "loss", held)
        assert graph(again, "loss", "g.data[0].x[0]") == 1
        assert f"run {run}" in again.inner_text("#status")
    stop(page)


def test_a_second_start_queues_and_its_turn_comes(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=LONG)
    first = start(page)
    wait_for_update(page, 1)
    second = start(page)
    assert "waits in the queue" in page.inner_text("#message")
    page.wait_for_selector(f"#queue >> text=run {second}")
    third = start(page)
    page.click("#queue >> text=and 1 more")
    fourth = start(page)
    page.click(f"#queue [title='Take run {fourth} out of the queue']")
    page.wait_for_selector("#queue >> text=and 1 more")
    assert f"run {first}" in page.inner_text("#status")
    page.click("#stop")
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=second)
    page.click("#queue >> text=Remove")
    page.wait_for_function("() => !document.querySelector('#queue').innerText")
    page.goto(page.url.split("?")[0] + f"?run={third}")
    wait_for_state(page, "stopped")
    page.click("text=Go to the current run")
    wait_for_state(page, "loading", "running")
    wait_for_update(page, 1)
    stop(page)


def test_a_past_run_opens_from_the_list_and_a_reload_keeps_it(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=3)
    past = start(page)
    wait_for_state(page, "finished")
    current = start(page)
    wait_for_state(page, "finished")
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=current)
    wait_for_state(page, "finished")

    page.click("#tab-runs-button")
    page.click(f"table.runs tr:has(a[href*='run={past}'])")
    page.wait_for_selector(f"text=You are looking at run {past}.")
    assert page.url.endswith(f"?run={past}")
    page.reload()
    page.wait_for_selector(f"text=You are looking at run {past}.")
    wait_for_points(page, "loss", 3)
    page.click("text=Go to the current run")
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=current)
    assert "run=" not in page.url


def test_a_run_that_is_not_there_is_said_and_the_way_back_is_offered(open_page: OpenPage) -> None:
    page = open_page("/?run=4242")
    page.wait_for_selector("text=4242")
    assert page.inner_text("#status .state") == "Nothing to show"
    page.click("text=Go to the current run")
    page.wait_for_function("() => document.querySelector('#status').dataset.state !== 'unknown'")


def test_zoom_survives_new_points_and_the_x_axis_switches_all_charts(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=LONG)
    start(page)
    wait_for_update(page, 1)
    wait_for_points(page, "loss", 6)
    box = page.locator("#chart-loss .nsewdrag").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.8, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "() => document.querySelector('#chart-loss .js-plotly-plot').layout.xaxis.autorange === false"
    )
    zoomed = graph(page, "loss", "g.layout.xaxis.range")
    wait_for_points(page, "loss", points(page) + 5)
    assert graph(page, "loss", "g.layout.xaxis.range") == zoomed

    page.click("#x-axis >> text=examples")
    for chart in CHARTS[:3]:
        page.wait_for_function(
            "name => document.querySelector(`#chart-${name} .js-plotly-plot`).layout.xaxis.title.text === 'examples'",
            arg=chart,
        )
    assert graph(page, "loss", "g.data[0].x.slice(0, 3)") == [8, 16, 24]
    page.click("text=Smooth")
    page.wait_for_function("() => document.querySelector('#chart-loss .js-plotly-plot').data[2].y.length > 0")
    page.click("text=Log scale")
    page.wait_for_function("() => document.querySelector('#chart-loss .js-plotly-plot').layout.yaxis.type === 'log'")
    stop(page)


def test_a_wrong_setting_is_said_once_beside_the_form_and_nothing_is_lost(open_page: OpenPage) -> None:
    page = open_page()
    wrong = "<img src=x onerror=alert(1)>"
    choose(page, "model", wrong)
    page.fill("#micro-batch input", "3")
    page.click("#start")
    page.wait_for_selector("#message [role=alert][data-tone=bad]")
    assert wrong in page.inner_text("#message")
    assert page.locator("#message img").count() == 0
    assert page.locator("#model.wrong input[aria-invalid=true]").count() == 1
    assert page.input_value("#model input") == wrong
    assert page.input_value("#micro-batch input") == "3"

    choose(page, "model", "tiny-bert")
    page.fill("#micro-batch input", "0")
    page.wait_for_selector("#arithmetic [data-tone=quiet]")
    page.click("#start")
    page.wait_for_selector("#micro-batch.wrong")
    assert "Traceback" not in page.content()


def test_the_arithmetic_follows_what_one_types(open_page: OpenPage) -> None:
    page = open_page()
    choose(page, "data", "sums")
    page.fill("#micro-batch input", "7")
    page.fill("#accumulation-steps input", "3")
    page.wait_for_function(
        "() => /^7 × 3 × 1 device = 21 examples an update · \\d+ updates an epoch · last window \\d+/"
        ".test(document.querySelector('#arithmetic')?.innerText)"
    )


def test_yaml_and_form_follow_each_other_and_start_runs_what_was_written_last(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-bert", data="sentiment", updates=2)
    page.click("#yaml-fold > button")
    page.wait_for_function(
        "() => { const text = document.querySelector('#yaml textarea')?.value ?? '';"
        " return ['model: tiny-bert', 'accumulation_steps: 4', 'max_steps: 2\\n'].every((part) => text.includes(part))"
        " && !text.includes('eval_strategy: steps'); }"
    )
    text = page.input_value("#yaml textarea")
    page.fill("#yaml textarea", text.replace("gradient_accumulation_steps: 4", "gradient_accumulation_steps: 5"))
    page.wait_for_function("() => document.querySelector('#accumulation-steps input').value === '5'")
    start(page)
    page.wait_for_function("() => document.querySelector('#status').innerText.includes('2 × 5 = 10')")
    wait_for_state(page, "finished")
    page.fill("#yaml textarea", "model: [")
    # its words take more lines than the sum did, and Start moves down
    page.wait_for_function("() => document.querySelector('#arithmetic').innerText.includes('no valid YAML')")
    page.click("#start")
    page.wait_for_selector("#yaml.wrong")
    assert page.input_value("#yaml textarea") == "model: ["
    page.fill("#yaml textarea", "")
    run = start(page)
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=run)
    assert "tiny-bert · sentiment · text-classification · 2 × 5 = 10" in page.inner_text("#status")


@pytest.mark.parametrize("path", ["train", "runs"])
def test_a_phone_shows_everything_without_scrolling_sideways(open_page: OpenPage, path: str) -> None:
    page = open_page(viewport=PHONE)
    page.locator("#chart-loss").scroll_into_view_if_needed()
    page.wait_for_selector("#chart-loss .js-plotly-plot")
    page.click(f"#tab-{path}-button")
    page.wait_for_timeout(500)
    wider = page.evaluate(
        """() => [...document.querySelectorAll("#studio *, #runs > *, .masthead *")]
            .filter((e) => e.getClientRects().length && !e.closest("svg, .read, .runs-scroll, .modebar, [type=radio]"))
            .filter((e) => getComputedStyle(e).opacity !== "0" && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.className}`)"""
    )
    assert wider == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if path == "runs" and page.locator("table.runs tbody tr").count():
        for part in ("state", "updates", "loss"):
            box = page.locator(f"table.runs tbody td.{part}").first.bounding_box()
            assert box
            assert 0 <= box["x"] < box["x"] + box["width"] <= 390


def test_light_and_dark_follow_the_system_until_a_click_says_otherwise(open_page: OpenPage) -> None:
    page = open_page(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 29)"
    page.wait_for_selector("#chart-loss .js-plotly-plot")
    dark = graph(page, "loss", "g.layout.font.color")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.wait_for_function(
        "dark => document.querySelector('#chart-loss .js-plotly-plot').layout.font.color !== dark", arg=dark
    )
    page.reload()
    page.wait_for_selector("#status .state")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
