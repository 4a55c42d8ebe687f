"""The samples of a run in the store: by a cursor, taken back on a resumption, and in homes of an older format."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.events import SampleTaken
from engine.store import Store
from tests.engine.store_runs import back_to_format_4, open_store, running, update


def sample(run: int, update: int, index: int = 1, **values: Any) -> SampleTaken:
    given = {"kind": "class", "given": "A film", "wanted": "good", "got": "bad", "right": [False], "scores": []}
    return SampleTaken(run=run, update=update, index=index, **{**given, **values})


def places(found: dict[str, Any]) -> list[tuple[int, int]]:
    return [(row["update"], row["index"]) for row in found["samples"]]


def test_a_sample_reads_back_as_it_was_told(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        told = [
            sample(run, 0, 1, scores=[{"name": "bad", "score": 0.75}]),
            sample(run, 0, 2, kind="number", wanted=2.5, got=float("nan"), right=[]),
            sample(run, 0, 3, kind="tags", wanted=None, got=["O", "B"], right=[], given="\ud800 x"),
        ]
        for event in told:
            store.write(event)
        store.flush()
        one, two, three = store.samples(run)["samples"]
        assert one == vars(told[0])
        assert (two["wanted"], two["got"]) == (2.5, None)
        assert (three["wanted"], three["got"], three["given"]) == (None, ["O", "B"], "\\ud800 x")


def test_a_cursor_brings_what_is_newer_and_another_run_s_brings_all(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run, other = running(store), running(store)
        store.write(sample(run, 0))
        store.write(sample(other, 0))
        store.flush()
        first = store.samples(run)
        assert first["reset"] and places(first) == [(0, 1)]
        assert not store.samples(run, first["cursor"])["samples"]
        store.write(sample(run, 0, 2))
        store.write(sample(run, 10))
        store.flush()
        second = store.samples(run, first["cursor"])
        assert not second["reset"] and places(second) == [(0, 2), (10, 1)]
        for useless in ("", "x", "1.2", store.samples(other)["cursor"], "9" * 30):
            assert store.samples(run, useless)["reset"] and len(store.samples(run, useless)["samples"]) == 3
        with pytest.raises(StoreError):
            store.samples(99)


def test_of_a_long_timeline_the_first_the_last_and_some_between_come(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        for number in range(0, 1010, 10):
            store.write(sample(run, number))
        store.flush()
        assert places(store.samples(run, most=5)) == [(0, 1), (250, 1), (500, 1), (750, 1), (1000, 1)]
        cursor = store.samples(run, most=5)["cursor"]
        store.write(sample(run, 1010))
        store.flush()
        assert places(store.samples(run, cursor, most=5)) == [(1010, 1)]


def test_a_resumed_run_takes_its_later_samples_back(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(sample(run, 0))
        for number in range(1, 6):
            store.write(update(run, number))
            store.write(sample(run, number))
        store.flush()
        before = store.samples(run)["cursor"]
        store.write(update(run, 3))
        store.flush()
        after = store.samples(run, before)
        assert after["reset"] and places(after) == [(0, 1), (1, 1), (2, 1)]
        # told anew after the same update, as where the process died between a sample and its checkpoint
        store.write(sample(run, 3))
        store.write(sample(run, 3, got="good"))
        store.flush()
        assert [row["got"] for row in store.samples(run)["samples"]] == ["bad", "bad", "bad", "good"]


def test_a_home_of_the_format_before_opens_and_takes_samples(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create_run({"model": "minilm"}, name="old")
    store.close()
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        back_to_format_4(db)
        db.execute("DROP TABLE samples")
        db.execute("DROP TABLE seen")
        db.execute("PRAGMA user_version = 2")
    db.close()
    for _ in range(2):
        with open_store(tmp_path) as store:
            assert [found.name for found in store.runs()] == ["old"]
            store.write(sample(run, 0))
            store.flush()
            assert places(store.samples(run)) == [(0, 1)]
