"""What was watched of windows in the store: by a cursor, bounded, taken back, and in homes of the format before."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.events import MicroBatchSeen, RunResumed, WindowReplayed, WindowSeen, WindowSkipped
from engine.store import Store
from engine.store.seen import KEPT, KEPT_WINDOWS, READ, READ_WINDOWS
from tests.engine.store_runs import back_to_format_4, open_store, replayed, running, seen, update, window_seen


def write(store: Store, *events: Any) -> None:
    for event in events:
        store.write(event)
    store.flush()


def places(answer: dict[str, Any]) -> list[tuple[int, int]]:
    return [(row["update"], row["index"]) for row in answer["micro_batches"]]


def test_what_was_seen_comes_back_by_the_names_of_its_events(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run, other = running(store), running(store)
        assert store.watched(run) == {"micro_batches": [], "windows": [], "replays": [], "updates": [], "last": 0}
        parts = [seen(run, 1, index) for index in (1, 2, 3, 4)]
        write(store, *parts, replayed(run, 1, 4), window_seen(run, 1), seen(other, 1, 1))
        answer = store.watched(run)
        assert [MicroBatchSeen(run=run, **row) for row in answer["micro_batches"]] == parts
        assert [WindowSeen(run=run, **row) for row in answer["windows"]] == [window_seen(run, 1)]
        assert [WindowReplayed(run=run, **row) for row in answer["replays"]] == [replayed(run, 1, 4)]
        with pytest.raises(StoreError) as refused:
            store.watched(99)
        assert refused.value.code == "store.no-run"


def test_a_later_answer_holds_only_what_is_newer(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        write(store, seen(run, 1, 1), seen(run, 1, 2))
        first = store.watched(run)
        assert store.watched(run, first["last"]) == {**first, "micro_batches": []}
        write(store, seen(run, 1, 3), window_seen(run, 1))
        later = store.watched(run, first["last"])
        assert (places(later), len(later["windows"])) == ([(1, 3)], 1)


def test_the_last_64_windows_are_kept_and_the_last_8_are_read(tmp_path: Path) -> None:
    assert (KEPT_WINDOWS, READ_WINDOWS) == (64, 8)
    with open_store(tmp_path) as store:
        run = running(store)
        # every second window was watched
        write(store, *(event for at in range(2, 142, 2) for event in (seen(run, at, 1), window_seen(run, at))))
        answer = store.watched(run)
        assert answer["updates"] == list(range(14, 142, 2))
        assert places(answer) == [(at, 1) for at in range(126, 142, 2)]
        assert [row["update"] for row in answer["windows"]] == list(range(126, 142, 2))


def test_an_answer_is_bounded_however_many_micro_batches_a_window_has(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        of = KEPT + 100
        write(store, *(seen(run, 1, index, of=of) for index in range(1, of + 1)))
        assert places(store.watched(run)) == [(1, index) for index in range(of - READ + 1, of + 1)]
        with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
            assert db.execute("SELECT count(*) FROM seen").fetchone() == (KEPT,)
        db.close()


def test_a_window_that_begins_anew_is_told_anew_and_keeps_the_replay_before_it(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        write(store, replayed(run, 2), *(seen(run, 2, index) for index in (1, 2, 3)), seen(run, 2, 1, of=8))
        answer = store.watched(run)
        assert (places(answer), answer["micro_batches"][0]["of"], len(answer["replays"])) == ([(2, 1)], 8, 1)


def test_a_resumption_and_a_skipped_window_take_back_what_was_seen_of_later_ones(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        for at in (1, 2, 3):
            write(store, seen(run, at, 1), window_seen(run, at), update(run, at))
        write(store, RunResumed(run=run, update=2, seconds=1.0, skipped_windows=0, skipped_examples=0))
        assert store.watched(run)["updates"] == [1, 2]
        write(store, seen(run, 3, 1), WindowSkipped(run=run, after=2, examples=8))
        assert store.watched(run)["updates"] == [1, 2]
        # told again without a resumption, as after a death between two commits
        write(store, seen(run, 2, 1), window_seen(run, 2), update(run, 2))
        assert places(store.watched(run)) == [(1, 1), (2, 1)]


def test_numbers_that_are_none_come_back_as_none(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        nothing = float("nan")
        write(store, seen(run, 1, 1, norm=nothing, layers=[{"name": "a", "norm": float("inf")}]))
        answer = store.watched(run)
        assert answer["micro_batches"][0]["norm"] is None
        assert answer["micro_batches"][0]["layers"] == [{"name": "a", "norm": None}]
        json.dumps(answer, allow_nan=False)


def test_a_home_of_format_3_opens_keeps_its_runs_and_takes_what_is_seen(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create_run({"model": "minilm"}, name="old")
    write(store, update(run, 1))
    store.close()
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        back_to_format_4(db)
        db.execute("DROP TABLE seen")
        db.execute("PRAGMA user_version = 3")
    db.close()
    for _ in range(2):
        with open_store(tmp_path) as store:
            assert [(found.name, found.update) for found in store.runs()] == [("old", 1)]
            write(store, seen(run, 1, 1))
            assert places(store.watched(run)) == [(1, 1)]
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (5,)
    db.close()
