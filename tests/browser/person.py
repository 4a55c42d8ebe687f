"""What a person does on the page, and what they see."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

POINTS = "name => document.querySelector(`#chart-${name} .js-plotly-plot`)?.data?.[0]?.x?.length ?? 0"


def set_up(page: Page, *, model: str, data: str, micro_batch: int = 2, steps: int = 4, updates: int = 20) -> None:
    """Fills in the form."""
    choose(page, "data", data)
    choose(page, "model", model)
    page.fill("#micro-batch input", str(micro_batch))
    page.fill("#accumulation-steps input", str(steps))
    open_fold(page, "optimizer")
    page.fill("#length input", str(updates))
    open_fold(page, "during")
    page.fill("#eval-every input", "0")


def choose(page: Page, field: str, value: str) -> None:
    box = page.locator(f"#{field} input")
    box.fill(value)
    box.press("Enter")
    box.blur()


def open_fold(page: Page, fold: str) -> None:
    if not page.locator(f"#{fold} [data-testid=accordion-content]").is_visible():
        page.click(f"#{fold} > button")


def start(page: Page) -> int:
    """Presses Start; the id of the run that it made."""
    before = page.inner_text("#message .spoken")
    page.click("#start")
    page.wait_for_function(
        "before => { const now = document.querySelector('#message .spoken').innerText;"
        " return now !== before && /Run \\d+/.test(now); }",
        arg=before,
    )
    return int("".join(filter(str.isdigit, page.inner_text("#message .spoken"))))


def wait_for_state(page: Page, *states: str, seconds: float = 90) -> None:
    page.wait_for_function(
        "states => states.includes(document.querySelector('#status')?.dataset.state)",
        arg=list(states),
        timeout=seconds * 1000,
    )


def wait_for_update(page: Page, least: int) -> None:
    """Of a run that is alive: just after Start the page may still show the one before."""
    page.wait_for_function(
        "least => { const status = document.querySelector('#status');"
        " return ['running', 'paused'].includes(status.dataset.state)"
        " && Number((status.innerText.match(/update ([\\d,]+)/)?.[1] ?? '0').replaceAll(',', '')) >= least; }",
        arg=least,
    )


def wait_for_points(page: Page, chart: str, least: int) -> None:
    page.wait_for_function(f"([name, least]) => ({POINTS})(name) >= least", arg=[chart, least])


def points(page: Page, chart: str = "loss") -> int:
    return int(page.evaluate(POINTS, chart))


def graph(page: Page, chart: str, expression: str) -> Any:
    """The value of `expression` about `g`, the chart's Plotly graph."""
    return page.evaluate(
        f"() => {{ const g = document.querySelector('#chart-{chart} .js-plotly-plot'); return {expression}; }}"
    )


def stop(page: Page) -> None:
    page.click("#stop")
    wait_for_state(page, "stopped", "finished")
