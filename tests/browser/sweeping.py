"""What a person does in the Sweep view, and what they see there."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import OpenPage

PROGRAM = ("-m", "tests.browser.sweep_program")
ADDRESS = "/?tab=explore&view=sweep"
READY = "#sweep-start:enabled"
MICRO = "training.per_device_train_batch_size"


def open_view(open_page: OpenPage, **options: Any) -> Page:
    return open_page(ADDRESS, ready=READY, **options)


def ask(page: Page, preset: str) -> None:
    page.click(f"#sweep-preset-{preset}")
    wait_for_plan(page)


def wait_for_plan(page: Page) -> None:
    """What a start would do has been reckoned for what is asked by now."""
    page.wait_for_timeout(600)
    page.wait_for_selector("#sweep-before:not(.stale)")


def start(page: Page) -> str:
    """Starts what is asked; the name of the study."""
    before = study_of(page)
    page.click(READY)
    page.wait_for_function(
        "before => ![null, before].includes(new URL(location.href).searchParams.get('study'))",
        arg=before,
    )
    study = str(study_of(page))
    page.wait_for_selector(f"#sweep-status[data-study={study}]")  # until then the one before is shown
    return study


def study_of(page: Page) -> Any:
    return page.evaluate("new URL(location.href).searchParams.get('study')")


def wait_for_state(page: Page, state: str, seconds: float = 60) -> None:
    page.wait_for_selector(f"#sweep-status[data-state={state}]", timeout=seconds * 1000)


def run(page: Page, preset: str) -> str:
    ask(page, preset)
    study = start(page)
    wait_for_state(page, "finished")
    return study


def row(page: Page, place: int) -> Any:
    return page.locator(".sweep-rows li").nth(place)


def add(page: Page, place: int, key: str, values: str) -> None:
    page.click("#sweep-add")
    row(page, place).locator("select").select_option(key)
    row(page, place).locator(".row-text").fill(values)


def trials(page: Page, state: str) -> int:
    return page.locator(f".trials tr[data-state={state}]").count()


def of_two_fields(page: Page) -> None:
    page.click("#sweep-preset-own")
    row(page, 0).locator(".row-text").fill("1e-5, 1e-4, 1e-3")
    add(page, 1, MICRO, "2, 4")
    wait_for_plan(page)
