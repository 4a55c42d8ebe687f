"""A person looks through past runs, says something of them, deletes some, and brings one from another home."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from engine import RunConfig, Store, take_away
from engine.events import RunPlanned, StateChanged
from tests.browser.conftest import PHONE, OpenPage, Studio
from tests.engine.store_runs import evaluation, open_store, running, update

pytestmark = [pytest.mark.browser, pytest.mark.slow]

READY = "#tab-runs-button[aria-selected=true]"
PLAN = {
    "micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 320, "updates_total": 40, "effective_batch": 32,
}  # fmt: skip


@pytest.fixture
def store(studio: Studio) -> Iterator[Store]:
    """The home's, beside the program, and empty."""
    with open_store(studio.home) as opened:
        yield opened
        everything = [run.id for run in opened.runs()]
        opened.delete(everything)
        opened.purge(opened.in_bin())


def ended(store: Store, loss: float = 0.5, updates: int = 3, **changes: object) -> int:
    run = running(store, **{**RunConfig.default().to_dict(), **changes})
    store.write(RunPlanned(run=run, plan=PLAN, facts={"device": "CPU"}))
    for number in range(1, updates + 1):
        store.write(update(run, number, loss=loss))
    store.write(evaluation(run, updates, loss=1 - loss))
    store.write(StateChanged(run=run, state="finished", code="run.finished"))
    store.flush()
    folder = store.home / "runs" / str(run) / "model"
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"x" * 2**20)
    return run


def listed(page: Page, *runs: int) -> None:
    """Waits until the list shows these runs, in this order."""
    page.wait_for_function(
        "runs => [...document.querySelectorAll('table.runs .run-line .run')].map(e => e.innerText).join() === runs",
        arg=",".join(map(str, runs)),
    )


def choose(page: Page, *runs: int) -> None:
    for run in runs:
        page.check(f"table.runs [aria-label='Choose run {run}']")


def test_a_list_is_searched_and_sorted_and_a_link_or_a_reload_shows_the_same(open_page: OpenPage, store: Store) -> None:
    a = ended(store, 0.5)
    b = ended(store, 0.25, model="tiny-llama", task="text-generation", data={"name": "sums"})
    c = ended(store, 0.75)
    store.annotate(c, title="Yüksek hız", tags=["İlk deneme"])
    page = open_page("/?tab=runs", ready=READY)
    listed(page, c, b, a)
    assert page.get_attribute("table.runs th.run", "aria-sort") == "descending"
    page.click("table.runs th.loss button")
    listed(page, b, a, c)
    assert page.get_attribute("table.runs th.loss", "aria-sort") == "ascending"
    assert page.get_attribute("table.runs th.run", "aria-sort") is None
    page.keyboard.press("Enter")
    listed(page, c, a, b)
    assert "sort=-loss" in page.url
    page.fill("#runs-search", "ilk minilm")
    listed(page, c)
    page.fill("#runs-search", "minilm")
    listed(page, c, a)
    page.reload()
    page.wait_for_selector(READY)
    listed(page, c, a)
    assert page.input_value("#runs-search") == "minilm"
    page.select_option("#runs-sort", "eval_loss")
    listed(page, c, a)
    page.click("#runs-way")
    listed(page, a, c)
    page.fill("#runs-search", "nothing of that kind")
    page.wait_for_selector("text=No run has all of that")
    page.fill("#runs-search", "")
    page.click(".chips >> text=İlk deneme (1)")
    listed(page, c)
    assert page.get_attribute(".chips button", "aria-pressed") == "true"
    page.click(".chips button")
    page.wait_for_function("() => !location.search.includes('tag=')")
    # another tab knows nothing of it, and who comes back finds it
    page.click("#tab-train-button")
    assert "sort=" not in page.url
    page.click("#tab-runs-button")
    page.wait_for_function("() => location.search.includes('sort=-eval_loss')")


def test_many_runs_are_turned_over_page_by_page(open_page: OpenPage, store: Store) -> None:
    config = RunConfig.default().to_dict()
    first = store.create_run(config)
    for _ in range(59):
        last = store.create_run(config)
    for run in range(first, last + 1):
        store.write(StateChanged(run=run, state="stopped"))
    store.flush()
    page = open_page("/?tab=runs&part=2", ready=READY)
    listed(page, *range(first + 9, first - 1, -1))
    page.click("text=Previous page")
    listed(page, *range(last, last - 50, -1))
    assert "part=" not in page.url
    assert "1 to 50 of 60" in page.inner_text(".runs-pages")


def test_name_tags_and_notes_are_written_beneath_a_run_and_stay(open_page: OpenPage, store: Store) -> None:
    run = ended(store)
    page = open_page("/?tab=runs", ready=READY)
    listed(page, run)
    page.click("table.runs .more button")
    page.wait_for_function("() => document.activeElement.closest('.run-notes')")
    page.keyboard.type("<img src=x onerror=alert(1)>")
    # the list is asked for meanwhile: what is being written is not touched
    page.wait_for_timeout(3500)
    assert page.input_value(".run-notes .title input") == "<img src=x onerror=alert(1)>"
    page.fill(".run-notes .tags input", "talk,  baseline , TALK")
    page.fill(".run-notes .notes textarea", "First line\nsecond")
    page.click(".run-notes button")
    page.wait_for_selector("text=Saved.")
    assert page.input_value(".run-notes .tags input") == "talk, baseline"
    page.wait_for_selector("table.runs .what strong >> text=<img src=x")
    assert page.locator("table.runs img").count() == 0
    assert page.locator(".run-tag").all_inner_texts() == ["talk", "baseline"]
    assert page.inner_text(".run-note") == "First line"
    page.reload()
    page.wait_for_selector("table.runs .run-tag >> text=baseline")
    found = store.run(run)
    assert (found.title, found.notes) == ("<img src=x onerror=alert(1)>", "First line\nsecond")
    page.click("table.runs .more button")
    page.fill(".run-notes .tags input", "x" * 60)
    page.click(".run-notes button")
    page.wait_for_selector(".run-notes >> text=A tag has 40 characters at most.")


def test_what_another_page_wrote_of_a_run_is_not_written_over(open_page: OpenPage, store: Store) -> None:
    run = ended(store)
    store.annotate(run, title="before", tags=["old"], notes="old")
    page = open_page("/?tab=runs", ready=READY)
    listed(page, run)
    page.click("table.runs .more button")
    page.wait_for_selector(".run-notes")
    # as another page does while this form stands open
    store.annotate(run, title="theirs", tags=["theirs", "b"])
    page.fill(".run-notes .notes textarea", "ours")
    page.click(".run-notes button")
    page.wait_for_selector("text=Saved.")
    found = store.run(run)
    assert (found.title, found.tags, found.notes) == ("theirs", ["theirs", "b"], "ours")
    assert page.input_value(".run-notes .title input") == "theirs"
    assert page.input_value(".run-notes .tags input") == "theirs, b"
    # and the same since what was saved
    store.annotate(run, notes="theirs again", tags=[])
    page.fill(".run-notes .title input", "our name")
    assert page.inner_text(".run-notes [role=status]") == ""
    page.click(".run-notes button")
    page.wait_for_selector("text=Saved.")
    found = store.run(run)
    assert (found.title, found.tags, found.notes) == ("our name", [], "theirs again")


def test_an_order_that_there_is_not_is_the_usual_one(open_page: OpenPage, store: Store) -> None:
    a, b = ended(store, 0.5), ended(store, 0.25)
    page = open_page("/?tab=runs&sort=evil", ready=READY)
    listed(page, b, a)
    assert page.input_value("#runs-sort") == "id"
    assert page.get_attribute("table.runs th.run", "aria-sort") == "descending"
    page.wait_for_selector("#runs-bin >> text=Bin (0)")
    assert page.locator("[role=alert]:visible, .runs-said[data-tone=bad]:visible").count() == 0
    page = open_page("/?tab=runs&sort=metric.f1_of_ours", ready=READY)
    # no run has that value: in the order of their numbers
    listed(page, a, b)
    assert page.input_value("#runs-sort") == "metric.f1_of_ours"
    assert page.locator("#runs-sort option:checked").inner_text() == "f1_of_ours"


def test_what_is_deleted_comes_back_by_undo_and_goes_for_good_from_the_bin(open_page: OpenPage, store: Store) -> None:
    a, b, c = ended(store), ended(store), ended(store)
    page = open_page("/?tab=runs", ready=READY)
    listed(page, c, b, a)
    assert page.is_disabled("#runs-delete")
    choose(page, a, b)
    page.click("#runs-delete")
    listed(page, c)
    page.wait_for_function("() => document.activeElement.id === 'runs-undo'")
    page.keyboard.press("Enter")
    listed(page, c, b, a)
    assert store.in_bin() == []
    choose(page, b)
    page.click("#runs-delete")
    page.wait_for_selector("#runs-bin >> text=Bin (1)")
    page.click("#runs-bin")
    listed(page, b)
    assert "bin=1" in page.url
    # one may look at it, and sees where it lies
    page.click("table.runs .run a")
    page.wait_for_selector("#status .place >> text=in the bin")
    page.go_back()
    listed(page, b)
    page.click("text=Choose all of this page")
    page.click("#runs-purge")
    page.wait_for_selector("text=1.00 MiB, goes for good")
    # what was asked of one run is not done to another
    page.uncheck(f"table.runs [aria-label='Choose run {b}']")
    page.wait_for_selector("#runs-purge-yes", state="detached")
    choose(page, b)
    page.click("#runs-purge")
    page.click("text=Keep")
    assert store.in_bin() == [b]
    page.click("#runs-purge")
    page.click("#runs-purge-yes")
    page.wait_for_selector("text=The bin is empty.")
    page.wait_for_selector("text=1 run is gone; 1.00 MiB are free.")
    assert not (store.home / "runs" / str(b)).exists()
    page.click("#runs-bin")
    listed(page, c, a)
    page.wait_for_function("() => /MiB, of which/.test(document.querySelector('#runs-disk').innerText)")


def test_a_run_that_is_under_way_is_not_deleted_and_the_page_says_why(open_page: OpenPage, store: Store) -> None:
    done, alive = ended(store), running(store, **RunConfig.default().to_dict())
    store.flush()
    page = open_page("/?tab=runs", ready=READY)
    listed(page, alive, done)
    choose(page, done, alive)
    page.click("#runs-delete")
    page.wait_for_selector(f"text=Run {alive} is still under way.")
    listed(page, alive, done)
    store.write(StateChanged(run=alive, state="stopped"))
    store.flush()


def test_runs_that_are_chosen_go_to_compare_by_the_address(open_page: OpenPage, store: Store) -> None:
    a, b, c = ended(store), ended(store), ended(store)
    page = open_page("/?tab=runs&q=minilm", ready=READY)
    listed(page, c, b, a)
    assert page.is_disabled("#runs-compare")
    choose(page, c, a)
    page.click("#runs-compare")
    page.wait_for_function("() => location.search.includes('view=compare')")
    assert re.search(rf"tab=explore&view=compare&runs={c}(,|%2C){a}", page.url)
    assert "q=" not in page.url
    page.go_back()
    page.wait_for_function("() => location.search.includes('q=minilm')")


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE], ids=["wide", "phone"])
def test_a_run_of_another_home_is_imported_and_its_page_is_the_live_page(
    open_page: OpenPage, store: Store, tmp_path: Path, viewport: dict[str, int]
) -> None:
    with open_store(tmp_path / "other") as other:
        file = take_away(other, ended(other, loss=0.125), "run")
    page = open_page("/?tab=runs", ready=READY, viewport=viewport)
    page.set_input_files("#runs-file", file)
    page.wait_for_selector(".runs-said[data-tone=good]")
    assert page.inner_text(".runs-said").startswith("run-1.birikim is run ")
    page.click(".runs-said button")
    page.wait_for_selector("#studio >> text=Imported from the file run-1.birikim, run 1 of its home.")
    assert "loss 0.125" in page.inner_text("#status .values")
    page.click("#tab-runs-button")
    wrong = tmp_path / "wrong.birikim"
    wrong.write_bytes(b"no zip")
    page.set_input_files("#runs-file", wrong)
    page.wait_for_selector("text=wrong.birikim is no run that Birikim exported.")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_a_run_is_taken_away_as_one_file_from_its_page(open_page: OpenPage, store: Store, tmp_path: Path) -> None:
    run = ended(store)
    page = open_page(f"/?run={run}")
    with page.expect_download() as started:
        page.click("#take-run")
    started.value.save_as(tmp_path / "taken.birikim")
    assert started.value.suggested_filename == f"run-{run}.birikim"
    assert (tmp_path / "taken.birikim").read_bytes()[:2] == b"PK"
