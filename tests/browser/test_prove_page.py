"""A person proves a config in the browser, and finds the proof again, whatever happens to the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from engine import RunConfig, Store
from engine.events import ResultGrew, StateChanged
from tests.browser.conftest import PHONE, OpenPage, Studio, serving
from tests.browser.person import choose, graph, set_up, start, wait_for_state, wait_for_update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = 100_000


def set_up_proof(
    page: Page, *, micro_batch: int = 2, steps: int = 4, updates: int = 20, model: str = "tiny-bert"
) -> None:
    """Fills in the Train tab's form and opens the Prove tab, which follows it."""
    set_up(page, model=model, data="sentiment", micro_batch=micro_batch, steps=steps, updates=updates)
    page.click("#tab-prove-button")
    page.wait_for_selector(f"#prove-settings >> text={model} · sentiment · text-classification")
    page.wait_for_selector(f"#prove-plans label:has(small) >> text={micro_batch} × {steps}")


def prove(page: Page) -> int:
    """Presses Prove it; the number of the proof that it made."""
    page.wait_for_selector("#prove-status:not([data-state=connecting])")
    before = proof(page)
    page.click("#prove-start")
    page.wait_for_function(
        "before => Number(document.querySelector('#prove-status').innerText.match(/proof (\\d+)/)?.[1] ?? 0) > before",
        arg=before,
    )
    return proof(page)


def proof(page: Page) -> int:
    return int((re.findall(r"proof (\d+)", page.inner_text("#prove-status")) or [0])[0])


def wait_for_proof(page: Page, *states: str, seconds: float = 120) -> None:
    page.wait_for_function(
        "states => states.includes(document.querySelector('#prove-status')?.dataset.state)",
        arg=list(states),
        timeout=seconds * 1000,
    )


def wait_for_verdict(page: Page, seconds: float = 120) -> None:
    page.wait_for_selector("#prove-verdict [data-code='proof.exact']", timeout=seconds * 1000)


def cells(page: Page, plan: str) -> list[str]:
    """What a row of the table says to the eye: sign and error, and the norm, of each way."""
    found: list[str] = page.eval_on_selector_all(
        f"#prove-table tr:has([data-plan='{plan}']) td",
        "cells => cells.map(cell => ['.sign', '.error', '.norm']"
        ".map(part => cell.querySelector(part)?.textContent ?? '').join(' '))",
    )
    return found


def wider_than_the_page(page: Page) -> Any:
    return page.evaluate(
        """(unseen) => [...document.querySelectorAll("#prove *, #prove-settings *")]
            .filter((e) => e.getClientRects().length && !e.closest(unseen))
            .filter((e) => getComputedStyle(e).opacity !== "0" && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.className}`)""",
        "svg, .read, .aloud, .norm-word, .heads-scroll, .modebar",
    )


def test_a_proof_says_its_verdict_its_figures_and_its_curves_and_a_reload_brings_it_back(
    open_page: OpenPage, studio: Studio
) -> None:
    page = open_page()
    set_up_proof(page)
    page.check("#prove-side-by-side")
    page.fill("#prove-updates", "4")
    number = prove(page)
    wait_for_proof(page, "finished")

    def whole(shown: Page) -> None:
        wait_for_verdict(shown, 20)
        assert "2 × 4 adds up to the gradient of one batch of 8 rows" in shown.inner_text("#prove-verdict .main")
        assert "The stock Trainer would be 4.00 × too large here." in shown.inner_text("#prove-verdict")
        ours, means, stock = cells(shown, "2x4")
        assert re.match(r"= \de-\d+ norm 1\.00 ×", ours) and means.startswith("=")
        assert stock == "≠ 300 % norm 4.00 ×"
        assert cells(shown, "1x8")[2] == "≠ 700 % norm 8.00 ×"
        assert cells(shown, "8x1")[2].startswith("=")
        shown.wait_for_function("() => document.querySelector('#chart-layers .js-plotly-plot')?.data?.length === 3")
        assert graph(shown, "layers", "g.data[0].x.every((error) => error < 1e-5)")
        assert graph(shown, "layers", "g.data[2].x.every((error) => error > 0.5)")
        assert graph(shown, "layers", "g.data[0].customdata.map((text) => text.split('<br>')[0])")[-1] == "classifier"
        shown.wait_for_function(
            "() => document.querySelector('#chart-side-by-side .js-plotly-plot')?.data?.length === 5"
        )
        assert graph(shown, "side-by-side", "g.data.map((t) => [t.y.length, t.line.dash ?? 'solid'])") == [
            *[[4, "solid"]] * 3,
            *[[4, "dash"]] * 2,
        ]
        assert re.search(r"at most (\de-\d+|0) apart", shown.inner_text("#chart-side-by-side"))

    whole(page)
    page.click("#prove-table tr:has([data-plan='8x1'])")
    page.wait_for_function(
        "() => document.querySelector('#chart-layers .js-plotly-plot').data[2].x.every((e) => e < 1e-5)"
    )
    assert page.get_attribute("[data-plan='8x1']", "aria-pressed") == "true"
    for again in (page, open_page(tab_of=page)):
        if again is page:
            page.reload()
        else:
            again.click("#tab-prove-button")
        again.wait_for_selector("#prove-verdict .main", timeout=15_000)
        whole(again)
        assert proof(again) == number
    page.click("#tab-runs-button")
    page.wait_for_selector("#runs >> text=No run yet")
    store = Store(studio.home)
    try:
        assert [run.id for run in store.runs()] == []
    finally:
        store.close()


def test_a_proof_waits_for_a_run_and_the_next_run_for_it(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-bert", data="sentiment", updates=LONG)
    run = start(page)
    wait_for_update(page, 1)
    page.click("#tab-prove-button")
    assert "8 × 1" in page.inner_text("#prove-plans")
    number = prove(page)
    page.wait_for_selector(f"#prove-status >> text=waits for run {run}")
    assert page.locator("#prove-start").is_disabled()
    assert page.get_attribute("#prove-start", "title") == f"Proof {number} is under way."
    page.click("#tab-train-button")
    later = start(page)
    assert "waits in the queue" in page.inner_text("#message")
    page.click("#stop")
    page.click("#tab-prove-button")
    wait_for_proof(page, "loading", "running", "finished")
    wait_for_verdict(page)
    page.click("#tab-train-button")
    page.wait_for_function("run => document.querySelector('#status').innerText.includes(`run ${run} `)", arg=later)
    wait_for_update(page, 1)


def test_stop_keeps_what_was_found(open_page: OpenPage) -> None:
    page = open_page()
    set_up_proof(page)
    page.check("#prove-side-by-side")
    page.fill("#prove-updates", "200")
    prove(page)
    page.wait_for_selector("#prove-status >> text=Training side by side", timeout=120_000)
    page.wait_for_function(
        "() => document.querySelector('#chart-side-by-side .js-plotly-plot')?.data?.[0]?.y?.length > 2"
    )
    page.click("#prove-stop")
    wait_for_proof(page, "stopped")
    assert "Stopped; what was found until then stays." in page.inner_text("#prove-status")
    assert page.locator("#prove-stop").is_disabled()
    assert page.locator("#prove-start").is_enabled()
    wait_for_verdict(page, 5)
    assert cells(page, "2x4")[2].startswith("≠ 300 %")
    page.reload()
    wait_for_verdict(page, 20)
    page.wait_for_function(
        "() => document.querySelector('#chart-side-by-side .js-plotly-plot')?.data?.[0]?.y?.length > 2"
    )


def test_wrong_settings_and_failures_are_said_in_the_tab(open_page: OpenPage) -> None:
    page = open_page()
    wrong = "<img src=x onerror=alert(1)>"
    set_up_proof(page)
    page.click("#tab-train-button")
    choose(page, "model", wrong)
    page.click("#tab-prove-button")
    page.click("#prove-start")
    page.wait_for_selector("#prove-message:not([hidden])")
    assert wrong in page.inner_text("#prove-message")
    assert page.locator("#prove img, #prove-settings img").count() == 0
    page.click("#tab-train-button")
    choose(page, "model", "tiny-bert")
    page.click("#tab-prove-button")
    page.wait_for_function("() => document.querySelector('#prove-message').hidden")
    page.check("#prove-side-by-side")
    page.fill("#prove-updates", "100000")
    page.click("#prove-start")
    page.wait_for_selector("#prove-message >> text=at most 200 updates")
    assert "Traceback" not in page.content()


def test_the_table_of_heads_says_what_makes_it_or_lists_its_heads(open_page: OpenPage) -> None:
    page = open_page("/?tab=prove", ready="#prove-start")
    page.click("#prove-heads summary")
    page.wait_for_selector("#prove-heads >> text=/tests.benchmarks.heads|page 1 of/")


def test_a_phone_in_the_dark_shows_the_tab_without_scrolling_sideways(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    set_up_proof(page, micro_batch=1, steps=2)
    prove(page)
    wait_for_proof(page, "finished")
    page.wait_for_function("() => document.querySelector('#chart-layers .js-plotly-plot')?.data?.length === 3")
    page.click("#prove-how summary")
    assert wider_than_the_page(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    dark = graph(page, "layers", "g.layout.font.color")
    page.click("#theme")
    page.wait_for_function(
        "dark => document.querySelector('#chart-layers .js-plotly-plot').layout.font.color !== dark", arg=dark
    )


def test_a_run_draws_its_padding_and_says_the_order_that_really_runs(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-bert", data="sentiment", updates=4)
    page.click("#dealing > button")
    page.fill("#micro-batch-tokens input", "200")
    page.wait_for_function(
        "() => document.querySelector('#arithmetic').innerText"
        ".includes('= 8 examples an update · in micro-batches of at most 200 tokens')"
    )
    start(page)
    wait_for_state(page, "finished")
    assert "at most 200 tokens a micro-batch · rows sorted by length" in page.inner_text("#status")
    page.locator("#chart-throughput").scroll_into_view_if_needed()
    page.wait_for_function(
        "() => document.querySelector('#chart-throughput .js-plotly-plot')?.data?.[1]?.y?.length === 4"
    )
    assert graph(page, "throughput", "g.data[1].y.every((share) => share >= 0 && share < 1)")
    assert graph(page, "throughput", "g.layout.yaxis2.tickformat") == ".0%"


def way(name: str, error: float, names: list[str]) -> dict[str, Any]:
    layers = [{"name": each, "relative_error": error, "norm_ratio": 1 + error} for each in names]
    figures = {"loss": 0.7, "relative_error": error, "cosine": 1.0, "norm_ratio": 1 + error, "seconds": 0.1}
    return {"plan": [2, 4], "name": name, **figures, "layers": layers}


def test_a_restart_of_the_program_brings_half_a_proof_back_whole_and_escaped(
    open_page: OpenPage, tmp_path: Path
) -> None:
    wrong = "<img src=x onerror=alert(1)>"
    names = [f"encoder.with.a.long.path.of.modules.layer.{number}" for number in range(40)] + [wrong]
    proof = {
        "model_class": wrong, "precision": "fp32", "device": "cpu", "rows": 8, "targets": 8, "reference": "large-batch",
        "own_loss": False, "window_order": "sorted", "tolerance": 1e-5, "ways": [way("accumulated", 3e-7, names)],
    }  # fmt: skip
    values = {"plan": "2 × 4", "rows": 8, "targets": 8, "error": "3e-7"}
    said = [{"code": "proof.exact", "values": values}, {"code": "proof.means-off", "values": {"error": wrong}}]
    home = tmp_path / "home"
    store = Store(home)
    number = store.create_run({**RunConfig.default().to_dict(), "model": wrong}, kind="proof", request={"updates": 0})
    store.write(StateChanged(run=number, state="running", activity="proving"))
    store.write(ResultGrew(run=number, values={"plans": [[2, 4]], "curves": [], "proof": proof, "verdict": said}))
    store.close()
    with serving(home) as again:
        page = open_page("/?tab=prove", url=again.url, ready="#prove-verdict .main")
        wait_for_proof(page, "interrupted")
        assert "The program ended before the proof was done" in page.inner_text("#prove-status")
        assert wrong in page.inner_text("#prove-status") and wrong in page.inner_text("#prove-verdict")
        assert [cell.split()[0] for cell in cells(page, "2x4") if cell.strip()] == ["="]
        page.wait_for_function("() => document.querySelector('#chart-layers .js-plotly-plot')?.data?.length === 1")
        labels = page.eval_on_selector_all(
            "#chart-layers .ytick text", "texts => texts.map((text) => text.textContent)"
        )
        assert labels[0] == "…a.long.path.of.modules.layer.0" and labels[-1] == wrong
        assert page.locator("#prove img").count() == 0
        assert page.evaluate("document.querySelector('#chart-layers .plot').offsetHeight") > 40 * 20
        page.close()
