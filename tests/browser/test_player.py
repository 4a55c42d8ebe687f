"""The player: one goes through a window micro-batch by micro-batch, and sees what really ran."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from engine import Store
from engine.events import MicroBatchDone, StateChanged
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.browser.person import set_up, start, stop, wait_for_state, wait_for_update
from tests.engine.store_runs import replayed, running, seen, window_seen

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CONFIG = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}
NASTY = "<img src=x onerror=alert(1)>"
PICTURE = """() => ({
  window: document.querySelector('.player-window').innerText,
  frames: [...document.querySelectorAll('.frame')].map((frame) => [frame.dataset.state, frame.textContent]),
  sums: document.querySelector('table.sums').textContent,
  angles: [...document.querySelectorAll('.fan .arrow')].map((arrow) => arrow.getAttribute('style')),
  heat: document.querySelector('table.heat').textContent,
  update: document.querySelector('.scene.update').textContent,
})"""

IN_VIEW = """selector => {
  const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


def frames(page: Page, state: str) -> int:
    return page.locator(f".frame[data-state={state}]").count()


def numbers(page: Page, selector: str) -> list[float]:
    return [
        float(text.replace(",", "").lstrip("+ ")) for text in page.locator(selector).all_inner_texts() if text != "–"
    ]


def to_a_fresh_window(page: Page) -> None:
    """Pauses, and goes on to the end of the window, so that the next one is watched from its beginning."""
    page.click("#pause")
    wait_for_state(page, "paused")
    page.click("#next-update")
    page.wait_for_selector(".act[data-act=update].on")


def test_one_goes_through_a_window_micro_batch_by_micro_batch(open_page: OpenPage) -> None:
    page = open_page()
    assert page.locator("#next-micro-batch").is_disabled() and page.locator("#player-film").is_hidden()
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    start(page)
    wait_for_update(page, 1)
    assert page.get_attribute("#replay", "title") == "Pause the run first, or take slow motion."
    to_a_fresh_window(page)
    before = page.inner_text(".player-window")

    page.click("#next-micro-batch")
    page.wait_for_function("before => document.querySelector('.player-window').innerText !== before", arg=before)
    page.wait_for_selector(".frame[data-state=seen]")
    assert (frames(page, "seen"), frames(page, "waiting")) == (1, 3)
    # “12 + 30 = 42”: what the model is to say is underlined
    page.wait_for_selector(".player-rows mark.target >> text=/\\d/")
    assert page.locator(".player-rows li").count() == 2
    assert re.search(r"[\d.]+ ms", page.inner_text("table.passes"))
    loss, weight, share = numbers(page, ".equation strong")
    assert loss * weight == pytest.approx(share, abs=2e-3)
    assert len(numbers(page, "table.sums .norm .amount")) == 1
    assert page.locator("table.heat td.full").count() == page.locator("table.heat tbody tr").count() > 2
    assert "The directions appear when the window is whole" in page.inner_text(".scene.direction")
    assert page.locator(".update li[data-done]").count() == 0

    page.click("#replay")
    page.wait_for_selector("#player-replay >> text=/The same gradient. .*(rounding|last bit)/")
    assert "one batch of 8 rows" in page.inner_text(".replayed") and "2 × 4, accumulated" in page.inner_text(
        ".replayed"
    )
    page.wait_for_function(IN_VIEW, arg="#player-replay .replay-said")
    losses = page.locator(".replayed td:nth-child(2)").all_inner_texts()
    assert losses[0] == losses[1] and float(losses[0]) > 0

    page.click("#next-update")
    page.wait_for_selector(".act[data-act=zeroed].on")
    assert frames(page, "seen") == 4
    norms, own = numbers(page, "table.sums .norm .amount"), numbers(page, "table.sums td.own")
    assert len(norms) == len(own) == 4 and norms[0] == own[0]
    # |G1 + G2| is at most |G1| + |G2|
    assert all(norms[at] <= norms[at - 1] + own[at] + 0.01 for at in (1, 2, 3))
    assert page.locator(".fan .arrow").count() == 4
    assert page.inner_text("table.sums tbody tr:last-child .angle") == "0°"
    said = page.inner_text(".scene.update")
    assert "the weights moved by" in said and "measured: the gradient is 0 again" in said

    # by the keyboard, and without a mouse
    page.focus(".frame[aria-pressed=true]")
    page.keyboard.press("Home")
    assert page.get_attribute(".frame:focus", "aria-label").startswith("Micro-batch 1 of 4: loss ")  # type: ignore[union-attr]
    assert page.inner_text(".scene.rows h4") == "Rows of micro-batch 1"
    page.focus("table.heat td[tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".heat-note >> text=/, after micro-batch 2: [\\d.e-]+/")

    picture = page.evaluate(PICTURE)
    page.reload()
    page.wait_for_selector(".act[data-act=zeroed].on")
    assert page.evaluate(PICTURE) == picture and page.inner_text(".scene.rows h4") == "Rows of micro-batch 1"
    stop(page)
    page.wait_for_selector(".player-note >> text=The run has ended")


def test_slow_motion_goes_on_by_itself_until_one_steps_or_resumes(open_page: OpenPage) -> None:
    page = open_page()
    set_up(page, model="tiny-llama", data="sums", updates=100_000)
    start(page)
    wait_for_update(page, 1)
    page.click("#slow-motion")
    page.wait_for_selector("#slow-motion[aria-pressed=true]")
    wait_for_state(page, "running")
    places = []
    for _ in range(3):
        places.append((page.inner_text(".player-window"), frames(page, "seen")))
        page.wait_for_function(
            "([window, seen]) => document.querySelector('.player-window').innerText !== window"
            " || document.querySelectorAll('.frame[data-state=seen]').length !== seen",
            arg=list(places[-1]),
        )
    assert len(set(places)) == 3
    page.click("#next-micro-batch")
    wait_for_state(page, "paused")
    page.click("#slow-motion")
    wait_for_state(page, "running")
    page.wait_for_selector("#resume:enabled")
    page.click("#resume")
    page.wait_for_selector(".player-note >> text=full speed")
    assert page.get_attribute("#slow-motion", "aria-pressed") == "false"
    stop(page)


@pytest.fixture
def store(studio: Studio) -> Iterator[Store]:
    opened = Store(studio.home)
    try:
        yield opened
    finally:
        opened.close()


def told(store: Store, run: int, window: int, upto: int, of: int = 4, **values: Any) -> None:
    for index in range(1, upto + 1):
        done = {"run": run, "update": window, "index": index, "of": of, "targets": 4, "examples": 1, "seconds": 0.1}
        store.write(MicroBatchDone(**done, loss=2.0, weight=0.25))  # type: ignore[arg-type]
        store.write(seen(run, window, index, of=of, **values))
    store.flush()


def test_a_film_says_what_its_numbers_say_and_is_the_same_for_who_comes_later(
    open_page: OpenPage, store: Store
) -> None:
    run = running(store, **CONFIG)
    row = {"pieces": [{"text": NASTY, "target": True}], "targets": 1, "label": "good", "more": 3}
    told(store, run, 1, 2, rows=[row], more=5)
    store.write(StateChanged(run=run, state="paused", activity="training"))
    store.flush()
    page = open_page(f"/?run={run}")
    page.click("#player-fold")
    page.wait_for_selector("text=Loss × weight, summed: 0.500 + 0.500 = 1.000")
    rows = page.inner_text(".player-rows")
    assert NASTY in rows and "… and 3 more tokens" in rows and "and 5 more rows" in rows and "target: good" in rows
    assert not page.locator("#player img").count()
    place = page.locator(".scene.layers").bounding_box()

    told(store, run, 1, 4)
    store.write(window_seen(run, 1))
    store.flush()
    page.wait_for_selector(".update >> text=norm 2.000 × 0.50 = 1.000")
    # arccos of 0.5, 0.75 and 0.875
    assert page.locator("table.sums td.angle").all_inner_texts() == ["60.0°", "41.4°", "29.0°", "0°"]
    assert page.locator(".scene.layers").bounding_box() == place

    assert "Replay as one batch runs the whole window" in page.inner_text("#player-replay")
    store.write(replayed(run, 1, 4))
    store.flush()
    page.wait_for_selector("#player-replay >> text=The same gradient. They differ by 1e-7 of its norm: rounding.")
    assert page.locator(".replayed tbody th").all_inner_texts() == ["one batch of 4 rows", "1 × 4, accumulated"]
    store.write(replayed(run, 1, 4, relative_error=0.31, cosine=0.96))
    store.flush()
    page.wait_for_selector(
        "#player-replay >> text=Not the same gradient. They differ by 31 % of its norm, cosine 0.960."
    )
    unfit = {"requested_bytes": 2**20, "taken_bytes": 3 * 2**30, "budget_bytes": 2**31}
    store.write(replayed(run, 1, 4, large=None, failure=unfit, relative_error=None, cosine=None))
    store.flush()
    page.wait_for_selector(
        "#player-replay >> text=One large batch of these rows does not fit. It took 3.00 GiB of 2.00 GiB."
    )

    # what one looks at stays while the film goes on
    page.click(".frame:nth-child(2)")
    assert page.url.endswith("frame=1.2")
    told(store, run, 2, 2)
    page.wait_for_selector(".player-note >> text=An earlier window")
    assert page.inner_text(".player-window") == "Window of update 1"
    page.click("#player >> text=Later")
    page.wait_for_selector(".frame:nth-child(2)[data-state=seen][aria-pressed=true]")
    assert page.inner_text(".player-window") == "Window of update 2" and "frame=" not in page.url

    linked = open_page(f"/?run={run}&frame=1.3")
    linked.wait_for_selector(".frame:nth-child(3)[aria-pressed=true]")
    assert linked.inner_text(".player-window") == "Window of update 1"
    late = open_page(f"/?run={run}", viewport=PHONE)
    late.click("#player-fold")
    late.wait_for_selector(".frame:nth-child(2)[data-state=seen]")
    assert late.evaluate(PICTURE) == page.evaluate(PICTURE)
    assert late.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    store.write(StateChanged(run=run, state="stopped"))


def test_nothing_moves_for_one_who_wants_no_motion_and_nothing_is_asked_while_it_is_closed(
    open_page: OpenPage, store: Store
) -> None:
    run = running(store, **CONFIG)
    store.write(StateChanged(run=run, state="paused", activity="training"))
    told(store, run, 1, 1)
    page = open_page(f"/?run={run}", reduced_motion="reduce")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or "") if request.method == "POST" else None)
    for _ in range(3):
        page.wait_for_event("request", lambda request: request.method == "POST")
    assert asked and not any('"watched"' in body for body in asked)
    page.click("#player-fold")
    page.wait_for_selector(".frame[data-state=seen]")
    told(store, run, 1, 4)
    store.write(window_seen(run, 1))
    store.flush()
    page.wait_for_selector(".act[data-act=zeroed].on.just")
    moving = "document.getAnimations().filter((each) => each.effect.target?.closest('#player')).length"
    assert page.evaluate(moving) == 0
    assert any('"watched"' in body for body in asked)
    store.write(StateChanged(run=run, state="stopped"))
