"""A person asks for several devices, and sees of a run of several processes what started it and what each has taken."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from engine import RunConfig
from engine.accumulation import Plan
from engine.events import FactsGrew, MicroBatchDone, RunPlanned, StateChanged
from tests.browser.access import violations
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.browser.person import open_fold, wait_for_state
from tests.engine.store_runs import open_store, running, seen, update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COMMAND = "accelerate launch --multi_gpu --num_processes 2 --module engine train '<b>run.yaml</b>'"
RANKS = [{"rank": 0, "device": "CPU", "peak_bytes": 412 * 2**20}, {"rank": 1, "device": "CPU", "peak_bytes": None}]
FILE = "#accelerate-config :is(input, textarea)"


def wait_for_sum(page: Page, words: str) -> None:
    page.wait_for_function("words => document.querySelector('#arithmetic').innerText.includes(words)", arg=words)


def write(page: Page, field: str, value: str) -> None:
    page.fill(field, value)
    page.keyboard.press("Tab")


def yaml(page: Page) -> str:
    return str(page.input_value("#yaml textarea"))


def test_devices_or_a_file_that_says_them_are_written_in_the_form_and_in_its_yaml(open_page: OpenPage) -> None:
    page = open_page()
    open_fold(page, "advanced")
    open_fold(page, "yaml-fold")
    write(page, "#processes input", "2")
    wait_for_sum(page, "8 × 4 × 2 devices = 64")
    assert "launch:\n  processes: 2" in yaml(page)
    page.click("#tab-prove-button")
    page.wait_for_function("() => document.querySelector('#prove-plans')?.innerText.includes('1 × 64')")
    page.goto(page.url.split("?")[0] + "?tab=explore&view=sweep")
    page.wait_for_selector(".sweep-plans li >> text=8 × 4 × 2 = 64")
    assert page.input_value("#sweep-effective") == "64"
    page.click("#tab-train-button")
    open_fold(page, "advanced")
    open_fold(page, "yaml-fold")
    write(page, FILE, "nowhere.yaml")
    wait_for_sum(page, "Keep one of the two")
    write(page, "#processes input", "")
    wait_for_sum(page, "no file nowhere.yaml")
    page.click("#start")
    page.wait_for_selector(f"{FILE}[aria-invalid=true]")
    write(page, FILE, "")
    wait_for_sum(page, "8 × 4 × 1 device = 32")
    assert "launch" not in yaml(page)


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}], ids=["wide", "phone"])
def test_a_run_of_several_processes_says_what_started_it_and_what_each_has_taken(
    open_page: OpenPage, studio: Studio, options: dict[str, object]
) -> None:
    config = RunConfig.from_dict({**RunConfig.default().to_dict(), "launch": {"processes": 2}})
    with open_store(studio.home) as store:
        run = running(store, **config.to_dict())
        store.write(RunPlanned(run=run, plan=Plan.of(config, 320).to_dict(), facts={"command": COMMAND}))
        store.write(update(run, 1))
        store.flush()
        page = open_page(f"/?run={run}", **options)
        page.wait_for_selector("#run-processes:visible")
        assert page.inner_text("#processes-command") == COMMAND
        assert not page.is_visible("#processes-ranks")
        assert "8 × 4 × 2 = 64 examples an update" in page.inner_text("#status")
        store.write(FactsGrew(run=run, facts={"ranks": RANKS}))
        store.write(StateChanged(run=run, state="finished", code="run.finished"))
        store.flush()
        wait_for_state(page, "finished")
        page.wait_for_selector("#processes-ranks:visible")
        rows = [row.inner_text().split() for row in page.locator("#processes-ranks tbody tr").all()]
        assert rows == [["0", "CPU", "412", "MiB"], ["1", "CPU", "–"]]
        page.click("#processes-copy")
        # what is no secure address has no clipboard: then it is marked, to be copied by hand
        page.wait_for_function(
            "() => String(getSelection()).includes('accelerate launch')"
            " || document.querySelector('#processes-copy').innerText === 'Copied'"
        )
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_player_says_of_a_micro_batch_of_another_process_that_it_ran_there(
    open_page: OpenPage, studio: Studio
) -> None:
    config = RunConfig.from_dict({**RunConfig.default().to_dict(), "launch": {"processes": 2}})
    with open_store(studio.home) as store:
        run = running(store, **config.to_dict())
        store.write(RunPlanned(run=run, plan=Plan.of(config, 320).to_dict(), facts={}))
        store.write(StateChanged(run=run, state="paused", activity="training"))
        for index in (1, 2):
            store.write(
                MicroBatchDone(
                    run=run, update=1, index=index, of=8, loss=2.0, weight=0.125, targets=8, examples=8, seconds=0.1,
                    grad_norm=1.0,
                )
            )  # fmt: skip
        store.write(seen(run, 1, 1, of=8))
        store.flush()
        page = open_page(f"/?run={run}")
        page.click("#player-fold")
        page.wait_for_selector(".frame[data-state=seen]")
        page.click(".frame:nth-child(2)")
        page.wait_for_selector(".player-rows >> text=This micro-batch ran in another process")
        store.write(StateChanged(run=run, state="stopped", code="run.stopped"))


def test_a_run_of_one_process_says_nothing_of_processes(open_page: OpenPage, studio: Studio) -> None:
    with open_store(studio.home) as store:
        run = running(store, **RunConfig.default().to_dict())
        store.write(RunPlanned(run=run, plan=Plan.of(RunConfig.default(), 320).to_dict(), facts={"device": "CPU"}))
        store.write(StateChanged(run=run, state="stopped", code="run.stopped"))
        store.flush()
    page = open_page(f"/?run={run}")
    wait_for_state(page, "stopped")
    assert not page.is_visible("#run-processes")
