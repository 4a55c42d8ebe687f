"""What the player is answered, to pages and to anyone else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Store
from engine.events import MicroBatchDone
from gui import player
from tests.engine.store_runs import open_store, replayed, running, seen, window_seen

Ask = Callable[[Any], dict[str, Any]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def ask(store: Store) -> Ask:
    (watched,) = player.server_functions(store)
    return lambda argument: json.loads(json.loads(bytes(watched(argument).body)))


def window(store: Store, run: int, update: int, of: int = 4, watched_from: int = 1) -> None:
    """A window of which the first micro-batches may have gone unwatched."""
    for index in range(1, of + 1):
        done = {"run": run, "update": update, "index": index, "of": of, "examples": 2, "targets": 5}
        store.write(MicroBatchDone(**done, loss=2.0, weight=0.25))  # type: ignore[arg-type]
        if index >= watched_from:
            store.write(seen(run, update, index, of=of))
    store.write(window_seen(run, update))
    store.flush()


def test_what_was_watched_comes_with_the_losses_and_weights_of_the_whole_window(ask: Ask, store: Store) -> None:
    run = running(store)
    window(store, run, 7, watched_from=3)
    found = ask({"run": run, "after": 0})
    assert [each["index"] for each in found["micro_batches"]] == [3, 4]
    assert [(each["update"], each["index"], each["of"]) for each in found["told"]] == [
        (7, at, 4) for at in (1, 2, 3, 4)
    ]
    assert {each["loss"] * each["weight"] for each in found["told"]} == {0.5}
    assert [each["update"] for each in found["windows"]] == [7]


def test_only_what_is_newer_comes_again_and_nothing_is_told_of_other_windows(ask: Ask, store: Store) -> None:
    run = running(store)
    window(store, run, 1)
    last = ask({"run": run, "after": 0})["last"]
    quiet = ask({"run": run, "after": last})
    assert quiet["last"] == last and not any(quiet[part] for part in ("micro_batches", "windows", "replays", "told"))
    window(store, run, 2)
    store.write(replayed(run, 2, 4))
    store.flush()
    news = ask({"run": run, "after": last})
    assert {each["update"] for each in news["told"]} == {2} and len(news["replays"]) == 1


def test_an_answer_stays_as_large_as_it_is_while_the_run_grows(ask: Ask, store: Store) -> None:
    run = running(store)
    sizes = []
    for update in range(1, 41):
        window(store, run, update)
        if update in (10, 40):
            sizes.append(len(ask({"run": run})["told"]))
    assert sizes == [32, 32]  # the last 8 windows of 4


@pytest.mark.parametrize("argument", [None, [], {}, {"run": "1"}, {"run": -1}, {"run": 1.5}])
def test_what_names_no_run_is_answered_in_words(ask: Ask, argument: Any) -> None:
    fault = ask(argument)["fault"]
    assert (fault["code"], fault["message"]) == ("store.which-run", "No run is named.")
    assert ask({"run": 99, "after": 0})["fault"]["message"] == "There is no run 99."


@pytest.mark.parametrize("after", [None, "x", -1, 0.5, [], 2**60])
def test_a_cursor_that_is_none_begins_anew(ask: Ask, store: Store, after: Any) -> None:
    run = running(store)
    window(store, run, 1)
    assert len(ask({"run": run, "after": after})["micro_batches"]) == 4
