"""A class in the browser: the teacher commands, two students watch, and one runs an experiment of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.access import light_fields, violations
from tests.browser.conftest import PHONE, OpenPage, Studio, serving
from tests.browser.person import open_fold, points, wait_for_state

pytestmark = pytest.mark.browser

PASSWORD = "sınıf 1"
RUN = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32}
training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 2, max_steps: 5000, eval_strategy: 'no'}
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("class")
    (folder / "users").write_text(f"öğretmen:{PASSWORD}\n", encoding="utf-8")
    options = ["--class", "--host", "127.0.0.1", "--auth-file", str(folder / "users")]
    with serving(folder / "home", *options) as started:
        yield started


@pytest.fixture(scope="module")
def link(studio: Studio) -> str:
    return studio.program.wait_for_line("Students watch at ").split()[-1]


def log_in(open_page: OpenPage, **options: Any) -> Page:
    page = open_page(ready="input[type=password]", **options)
    page.locator("input").first.fill("öğretmen")
    page.fill("input[type=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("#status[data-state]")
    return page


def watch(open_page: OpenPage, link: str, **options: Any) -> Page:
    # the page allows no eval, which the driver's waiting needs
    return open_page(url=link, bypass_csp=True, **options)


def start(page: Page) -> None:
    open_fold(page, "yaml-fold")
    page.fill("#yaml textarea", RUN)
    page.locator("#yaml textarea").blur()
    page.click("#start")
    wait_for_state(page, "running")


def test_students_watch_the_teacher_s_run_and_one_runs_an_experiment(open_page: OpenPage, link: str) -> None:
    teacher = log_in(open_page)
    start(teacher)
    wide, phone = watch(open_page, link), watch(open_page, link, viewport=PHONE, color_scheme="dark", locale="en-GB")
    for page in (wide, phone):
        wait_for_state(page, "running")
        page.wait_for_function("document.querySelectorAll('#chart-loss .js-plotly-plot .scatterlayer .trace').length")
        assert page.locator("#start, #stop, #pause, #form, #tabs").count() == 0
        assert not page.locator("#own").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert points(wide) > 0

    teacher.click("#tab-class-button")
    teacher.wait_for_selector(f".class-link[href='{link}']")
    teacher.wait_for_selector(".class-viewers:has-text('2 watch now')")
    assert teacher.locator(".class-code").evaluate("image => image.naturalWidth") > 0
    teacher.check("#allow-experiments")

    phone.wait_for_selector("#own summary")
    phone.click("#own summary")
    phone.fill(".own-form input[type=text]", "<b>Ada</b>")
    phone.fill(".own-form label:has-text('Updates') input", "2")
    phone.click("#own-start")
    phone.wait_for_selector(".own-said:has-text('Waiting')")
    teacher.wait_for_selector(".class-experiments td:has-text('<b>Ada</b>')")
    assert teacher.locator(".class-experiments b").count() == 0
    assert phone.locator(".own-choice button").count() == 0  # the teacher's run goes on

    teacher.click("#tab-train-button")
    teacher.click("#stop")
    wait_for_state(wide, "stopped")
    phone.wait_for_selector(".own-choice button:nth-child(2)")
    phone.click(".own-choice button:nth-child(2)")
    phone.wait_for_selector(".watching:has-text('your own')")
    phone.wait_for_selector(".own-said:has-text('finished')")
    wait_for_state(phone, "finished")
    assert wide.get_attribute("#status", "data-state") == "stopped"  # one's own run is no one else's
    assert not wide.locator(".own-choice button").count()


def test_axe_finds_nothing_wrong_at_either_door(open_page: OpenPage, link: str) -> None:
    dark_phone = {"viewport": PHONE, "color_scheme": "dark"}
    teacher = log_in(open_page, **dark_phone)
    teacher.click("#tab-class-button")
    teacher.wait_for_selector(f".class-link[href='{link}']")
    teacher.check("#allow-experiments")
    student = watch(open_page, link, **dark_phone)
    student.wait_for_selector("#own", state="visible")
    for page in (teacher, student):
        assert violations(page) + light_fields(page) == []
    teacher.uncheck("#allow-experiments")
    student.wait_for_selector("#own", state="hidden")


def test_the_students_page_says_so_when_the_door_is_closed_and_comes_back(open_page: OpenPage, link: str) -> None:
    page = watch(open_page, link)
    page.wait_for_selector("#status[data-state]")
    page.route("**/deltas", lambda route: route.abort())
    page.wait_for_selector(".status.lost")
    page.unroute("**/deltas")
    page.wait_for_selector(".status:not(.lost)")
    open_page.errors.clear()  # type: ignore[attr-defined]
