"""The timeline of samples and trying a model, as a person uses them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from engine import Session, Store
from engine.events import SampleTaken, StateChanged
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.browser.person import wait_for_state
from tests.engine.store_runs import update

pytestmark = pytest.mark.slow

CONFIG = {
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 24, "eval_rows": 8},
    "training": {"per_device_train_batch_size": 2, "max_steps": 2},
    "samples": {"every": 10},
}
NASTY = "<img src=x onerror=alert(1)> & “text”"


def said(run: int, number: int, index: int, got: Any, **values: Any) -> SampleTaken:
    """What a model says of a film: sure of it, and right where it says “good”."""
    given = {"kind": "class", "given": NASTY, "wanted": "good", "right": [got == "good"]}
    scores = [{"name": got, "score": 0.75}, {"name": "other", "score": 0.25}]
    return SampleTaken(run=run, update=number, index=index, got=got, **{"scores": scores, **given, **values})


def story(run: int, number: int, text: str) -> SampleTaken:
    return said(run, number, 2, text, kind="text", given="Once", wanted=None, right=[], scores=[])


def answers(page: Page, card: int) -> list[str]:
    return page.locator(f".sample:nth-child({card}) .got").all_inner_texts()


def test_samples_are_a_timeline_that_one_can_go_back_in(open_page: OpenPage, studio: Studio) -> None:
    store = Store(studio.home)
    try:
        run = store.create_run(CONFIG)
        store.write(StateChanged(run=run, state="running", activity="training"))
        store.flush()
        page = open_page(f"/?run={run}")
        page.wait_for_selector("#samples-fold >> text=The first sample comes before update 1.")
        for number, got, text in ((0, "bad", "there was a cat"), (10, "good", "there was a dog")):
            if number:
                store.write(update(run, number))
            store.write(said(run, number, 1, got))
            store.write(story(run, number, text))
        store.flush()
        page.wait_for_selector(".sample:nth-child(2) .said:nth-child(3) mark >> text=dog")
        assert answers(page, 1) == ["bad", "good"] and answers(page, 2) == ["there was a cat", "there was a dog"]
        # what a user wrote is text, and nothing else
        assert page.inner_text(".sample:nth-child(1) .given") == NASTY and not page.locator("#samples img").count()
        assert page.inner_text(".sample:nth-child(1) .wanted") == "good"
        words = page.locator(".sample:nth-child(1) .verdict-word").all_inner_texts()
        assert words == ["✗ wrong", "✓ right"]
        assert page.locator(".sample mark").all_inner_texts() == ["good", "dog"]

        # one looks back, and stays there while a newer one comes; nothing moves
        page.focus("#samples-update")
        page.keyboard.press("Home")
        page.wait_for_selector(".samples-bar output >> text=before the training")
        place = page.locator(".sample:nth-child(2)").bounding_box()
        store.write(update(run, 20))
        store.write(said(run, 20, 1, "good"))
        store.write(story(run, 20, "there was a dog and " + "a very long tail " * 40))
        store.flush()
        page.wait_for_function("document.querySelectorAll('.sample:nth-child(2) .point').length === 3")
        assert answers(page, 1) == ["bad", "bad"]
        assert page.locator(".sample:nth-child(2)").bounding_box() == place
        page.click(".samples-bar >> text=Newest")
        page.wait_for_selector(".samples-bar output >> text=update 20")
        assert page.locator(".sample:nth-child(2)").bounding_box() == place
        page.click(".sample:nth-child(1) .point:nth-child(2)")
        page.wait_for_selector(".samples-bar output >> text=update 10")

        narrow = open_page(f"/?run={run}", viewport=PHONE)
        narrow.wait_for_selector(".sample:nth-child(2)")
        assert narrow.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    finally:
        store.write(StateChanged(run=run, state="stopped"))
        store.close()
    other = studio.home
    store = Store(other)
    try:
        plain = store.create_run({key: value for key, value in CONFIG.items() if key != "samples"})
        store.write(StateChanged(run=plain, state="stopped"))
        store.flush()
        page = open_page(f"/?run={plain}")
        wait_for_state(page, "stopped")
        assert page.locator("#samples-fold").is_hidden() and page.locator("#try-fold").is_hidden()
    finally:
        store.close()


def height(page: Page) -> float:
    return float(page.evaluate("document.querySelector('.sample').getBoundingClientRect().height"))


def test_what_was_said_before_the_training_stands_once_where_nothing_was_said_later(
    open_page: OpenPage, studio: Studio
) -> None:
    store = Store(studio.home)
    try:
        run = store.create_run(CONFIG)
        store.write(StateChanged(run=run, state="running", activity="training"))
        store.write(said(run, 0, 1, "bad"))
        store.flush()
        page = open_page(f"/?run={run}", viewport=PHONE)
        page.wait_for_selector(".sample .said:nth-child(3) >> text=What it says later comes here.")
        assert page.inner_text(".sample").count("before the training") == 1 and answers(page, 1) == ["bad", ""]
        room = height(page)
        store.write(update(run, 10))
        store.write(said(run, 10, 1, "good"))
        store.flush()
        page.wait_for_selector(".sample .said:nth-child(3) mark >> text=good")
        assert height(page) == room

        stopped = store.create_run(CONFIG)
        store.write(said(stopped, 0, 1, "bad"))
        store.write(StateChanged(run=stopped, state="stopped"))
        store.flush()
        page.goto(f"{studio.url}/?run={stopped}")
        page.wait_for_selector(".sample .said:nth-child(3) >> text=No later sample was taken.")
        assert answers(page, 1) == ["bad", ""] and height(page) == room
    finally:
        store.write(StateChanged(run=run, state="stopped"))
        store.close()


def trained(studio: Studio, **config: Any) -> int:
    store = Store(studio.home)
    session = Session(store)
    session.start()
    try:
        from engine import RunConfig

        run = session.submit(RunConfig.from_dict({**CONFIG, **config}))
        assert session.wait(run, 240).state == "finished"
        return run
    finally:
        session.close()
        store.close()


def test_one_tries_the_model_that_a_run_has_left(open_page: OpenPage, studio: Studio) -> None:
    classifier = trained(studio)
    page = open_page(f"/?run={classifier}")
    page.wait_for_selector("#try-fold:not([hidden])")
    assert page.locator("#try-run").is_disabled() and page.get_attribute("#try-run", "title") == "Write a text first."
    assert page.locator("#try-base").is_hidden() and page.locator("#try-temperature").is_hidden()
    page.fill("#try-text", "A film that I liked")
    page.click("#try-run")
    # its process gives way to everything else on the machine
    page.wait_for_selector("#try-answer[data-state=done]", timeout=240_000)
    amounts = page.locator("#try-answer .amount").all_inner_texts()
    assert sum(float(amount.rstrip("%")) for amount in amounts) == pytest.approx(100, abs=1)

    much = {"per_device_train_batch_size": 2, "max_steps": 4, "learning_rate": 1e-2}
    sums = {"name": "sums", "max_length": 24}
    writer = trained(studio, model="tiny-llama", task="text-generation", data=sums, training=much)
    page.goto(f"{studio.url}/?run={writer}")
    page.wait_for_selector("#try-fold:not([hidden]) >> text=Text to go on with")
    page.fill("#try-text", "12 + 30 =")
    page.fill("#try-max-new-tokens", "6")
    page.keyboard.press("Tab")
    page.focus("#try-text")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#try-answer[data-state=done]", timeout=240_000)
    page.wait_for_selector("#try-base[data-state=done]", timeout=240_000)
    assert page.inner_text("#try-answer .written") != page.inner_text("#try-base .written")
    page.fill("#try-max-new-tokens", "900")
    page.click("#try-run")
    page.wait_for_selector("#try-answer[data-state=failed]")
    told = page.inner_text("#try-answer")
    assert "max_new_tokens can't be 900." in told and "Choose 1 to 512." in told
