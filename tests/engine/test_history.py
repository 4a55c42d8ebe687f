"""The list of runs: paged, searched, sorted; what is said of a run; the bin; and what all of it takes of the disk."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.config import training_fields
from engine.errors import StoreError
from engine.events import RunPlanned, StateChanged
from engine.store import Disk, Store
from engine.store import history as listed
from engine.store.disk import folder_bytes
from engine.store.history import SORTS, Asked
from engine.store.keeping import TABLES
from engine.store.schema import connect
from tests.engine.store_runs import (
    back_to_format_4,
    evaluation,
    micro_batch,
    open_store,
    replayed,
    running,
    sample,
    seen,
    update,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def ended(store: Store, loss: float = 0.5, accuracy: float | None = None, **config: Any) -> int:
    """A run of one update that has ended."""
    run = running(store, **{"model": "minilm", "task": "text-classification", "data": {"name": "sums"}, **config})
    plan = {"micro_batch": 8, "accumulation_steps": 4, "effective_batch": 32, "updates_total": 40}
    store.write(RunPlanned(run=run, plan=plan, facts={}))
    store.write(update(run, 1, loss=loss))
    if accuracy is not None:
        store.write(evaluation(run, 1, metrics={"accuracy": accuracy}))
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    return run


def ids(found: dict[str, Any]) -> list[int]:
    return [run.id for run in found["runs"]]


def refusal(call: Any, *values: Any, **options: Any) -> str:
    with pytest.raises(StoreError) as told:
        call(*values, **options)
    return told.value.code


# ---- the list ----


def test_a_page_is_the_newest_runs_and_says_how_many_there_are(store: Store) -> None:
    runs = [ended(store) for _ in range(5)]
    store.create_run({}, kind="proof")
    assert ids(store.history(limit=2)) == [runs[4], runs[3]]
    assert ids(store.history(limit=2, offset=4)) == [runs[0]]
    assert ids(store.history(descending=False, limit=2)) == runs[:2]
    assert [store.history(limit=2, offset=at)["total"] for at in (0, 4, 100)] == [5, 5, 5]
    assert store.history(limit=1)["runs"] == [store.run(runs[4])]


def test_a_search_finds_every_word_wherever_it_stands_and_a_number_as_the_run_s(store: Store) -> None:
    first = ended(store, model="tiny-bert", data={"path": "/home/ada/reviews.csv"})
    second = ended(store, model="tiny-bert", task="regression")
    third = store.create_run({"model": "x", "data": {"hub": "owner/set"}}, name="lesson/why/1")
    store.annotate(second, title="The long one", notes="İlk deneme: IŞIK", tags=["baseline", "Öğle"])
    found = {
        "TINY": [second, first], "tiny reviews": [first], "reviews tiny nowhere": [], "long": [second],
        "ilk ışık": [second], "ılk isik": [], "ILK": [second], "öğle": [second], "baseline": [second],
        "regression": [second], "owner/set": [third], "lesson/": [third], "queued": [third], str(first): [third, first],
        "%": [], "_": [], "'": [], "  ": [third, second, first],
    }  # fmt: skip
    assert {words: ids(store.history(words)) for words in found} == found
    assert store.history("tiny", limit=1)["total"] == 2
    assert store.history("tiny", offset=7)["total"] == 2


def test_a_run_is_found_by_what_it_is_called(store: Store) -> None:
    first, second, *_ = [ended(store, model="tiny-bert") for _ in range(12)]
    named = store.create_run({"model": "rerun"}, name="run 2 again")
    for words in ("run 2", "Run  #2", "#2", "bert run 2", "2 bert"):
        assert second in ids(store.history(words)) and first not in ids(store.history(words))
    assert ids(store.history("run 2")) == [named, second]
    assert ids(store.history("#2")) == [second]
    assert ids(store.history("#12 run")) == ids(store.history("run 3 run 4")) == ids(store.history("çalışma 2")) == []
    for words in ("çalışma 2", "ÇALIŞMA #2", "2. çalışma", "run 2 tiny"):
        assert ids(store.history(words, called=("Run", "Çalışma"))) == [second]


def test_a_list_is_sorted_by_any_value_it_shows_and_by_the_usual_settings(store: Store) -> None:
    a = ended(store, loss=0.25, accuracy=0.5, training={"learning_rate": 1e-3, "seed": 1})
    b = ended(store, loss=0.75, accuracy=0.75, training={"learning_rate": 1e-5, "seed": 3})
    c = ended(store, loss=0.5, training={"learning_rate": 1e-4, "seed": 2})
    none = store.create_run({})
    assert ids(store.history(sort="loss", descending=False)) == [a, c, b, none]
    # what a run has no value for comes last, whichever way
    assert ids(store.history(sort="loss")) == [b, c, a, none]
    # what a config leaves out is sorted as what the run trains with: 5e-5, and seed 42
    assert ids(store.history(sort="learning_rate")) == [a, c, none, b]
    assert ids(store.history(sort="seed")) == [none, b, c, a]
    assert ids(store.history(sort="metric.accuracy")) == [b, a, none, c]
    assert ids(store.history(sort="bytes", sizes={a: 5, c: 9})) == [c, a, none, b]
    assert ids(store.history(sort="effective_batch", limit=2, offset=1)) == [b, a]
    for sort in SORTS:
        assert sorted(ids(store.history("", sort=sort))) == [a, b, c, none]
    for sort in ("", "owner", "id; DROP TABLE runs", "metric.", "metric.a'b", "config"):
        assert refusal(store.history, sort=sort) == "history.no-sort"


def test_a_setting_that_a_config_leaves_out_is_sorted_as_the_value_that_the_run_trains_with(store: Store) -> None:
    usual = {
        "learning_rate": (5e-5, 1e-6, 1e-3), "optim": ("adamw_torch_fused", "adafactor", "sgd"), "seed": (42, 41, 43),
        "lr_scheduler_type": ("linear", "cosine", "polynomial"), "warmup_steps": (0, -1, 1),
        "weight_decay": (0.0, -0.5, 0.5), "max_steps": (-1, -2, 40),
        # of runs that have no plan yet
        "micro_batch": (8, 7, 9), "accumulation_steps": (1, 0, 2),
    }  # fmt: skip
    names = {"micro_batch": "per_device_train_batch_size", "accumulation_steps": "gradient_accumulation_steps"}
    out = store.create_run({"training": {}})
    for sort, (value, below, above) in usual.items():
        name = names.get(sort, sort)
        low, same, high = (store.create_run({"training": {name: each}}) for each in (below, value, above))
        found = [run for run in ids(store.history(sort=sort, limit=99)) if run in (out, low, same, high)]
        assert found == [high, same, out, low], sort
        assert training_fields()[name].default in (value, None)


def test_ten_thousand_runs_are_paged_by_an_index_and_searched_in_one_pass(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        first = ended(store)
    db = connect(tmp_path / "birikim.sqlite")
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
    columns = "owner, name, state, created, seen, config, plan, kind, tags"
    db.execute(
        f"INSERT INTO runs ({columns}) {rows} SELECT owner, 'n' || i, state, created, seen, config, plan, kind, "
        "CASE WHEN i % 100 = 0 THEN '[\"hundred\"]' ELSE '[]' END FROM runs, n WHERE id = ?",
        (first,),
    )

    def plan(statement: str, values: dict[str, Any]) -> str:
        return " · ".join(row["detail"] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values))

    def of(asked: Asked) -> str:
        condition, values = listed._condition(asked)
        statement, more = listed.question(asked, condition)
        return plan(statement, {**values, **more, "limit": 50, "offset": 0})

    for deleted, index in ((False, "runs_listed"), (True, "runs_deleted")):
        assert of(Asked(deleted=deleted)) == f"SEARCH runs USING INDEX {index} (kind=?)"
    assert "runs_tagged" in of(Asked(tag="hundred"))
    # a search and a sort read each run once, and no update but the last of each
    for asked in (Asked("minilm"), Asked(sort="loss"), Asked("minilm", sort="loss"), Asked(sort="learning_rate")):
        assert of(asked).count("SEARCH runs") == 1 and "SCAN updates" not in of(asked)
    with open_store(tmp_path) as store:
        assert (len(store.history()["runs"]), store.history()["total"]) == (50, 10_000)
        assert (ids(store.history(offset=9_950))[-1], store.history("minilm")["total"]) == (first, 10_000)
        assert (store.history("n777")["total"], store.history(tag="hundred")["total"]) == (11, 99)
        assert store.tags() == {"hundred": 99}
        asked: list[str] = []
        with store._readers.snapshot() as reading:
            reading.set_trace_callback(asked.append)
        for ask in (store.waiting, store.current_run, store.next_queued, store.at_work, store.last_set_up):
            ask()  # type: ignore[operator]
        store.newest(["a", "b"])
        store.read(first)
        with store._readers.snapshot() as reading:
            reading.set_trace_callback(None)
    said = {text: plan(text, {}) for text in asked if text.startswith("SELECT")}
    assert len(said) > 8
    assert not [
        text for text, how in said.items() if "SCAN runs" in how.replace("SCAN runs USING INDEX runs_alive", "")
    ]
    db.close()


def test_who_waits_is_told_in_the_order_of_turns_without_those_of_a_class(store: Store) -> None:
    first, second = store.create_run({}), store.create_run({})
    store.create_run({}, name="class/ada")
    proof = store.create_run({}, kind="proof")
    store.write(StateChanged(run=first, state="running"))
    third = store.create_run({})
    assert [run.id for run in store.waiting()] == [second, third]
    assert [run.id for run in store.waiting("proof")] == [proof]


# ---- what is said of a run ----


def test_title_tags_and_notes_are_kept_and_each_alone_can_change(store: Store) -> None:
    run = ended(store)
    store.annotate(run, title="  a   name ", tags=[" one ", "ONE", "", "two  words"], notes="line\nline")
    found = store.run(run)
    assert (found.title, found.tags, found.notes) == ("a name", ["one", "two words"], "line\nline")
    store.annotate(run, tags=[])
    store.annotate(run, notes="\ud800")
    found = store.run(run)
    assert (found.title, found.tags, found.notes) == ("a name", [], "\\ud800")
    assert store.tags() == {}


def test_what_is_said_is_bounded(store: Store) -> None:
    run = ended(store)
    assert refusal(store.annotate, run, tags=["x" * 41]) == "history.long-tag"
    assert refusal(store.annotate, run, tags=[str(number) for number in range(21)]) == "history.many-tags"
    assert refusal(store.annotate, run, title="x" * 201) == "history.long-title"
    assert refusal(store.annotate, run, notes="x" * 10_001) == "history.long-notes"
    assert refusal(store.annotate, 99, notes="") == "store.no-run"
    assert store.run(run).tags == []


def test_others_who_watch_a_run_hear_nothing_of_what_is_noted(store: Store) -> None:
    run = ended(store)
    store.annotate(run, title="secret name", tags=["secret tag"], notes="secret note")
    assert "secret" not in json.dumps(store.read(run))


# ---- the bin ----


def test_a_deleted_run_is_in_no_list_but_the_bin_s_and_comes_back_whole(store: Store) -> None:
    kept, gone = ended(store), ended(store)
    store.annotate(gone, tags=["a"])
    before = store.run(gone)
    store.delete([gone])
    assert (ids(store.history()), ids(store.history(deleted=True)), store.in_bin()) == ([kept], [gone], [gone])
    assert [run.id for run in store.runs()] == [kept]
    assert store.tags() == {}
    assert (store.current_run().id, store.last_set_up().id) == (kept, kept)  # type: ignore[union-attr]
    deleted = store.run(gone).deleted
    assert deleted is not None and abs(deleted - time.time()) < 60
    # one may still look at it
    assert store.read(gone)["updates"]["update"] == [1]
    store.restore([gone])
    assert store.run(gone) == before
    assert store.in_bin() == []


def test_a_run_that_is_under_way_is_not_deleted_and_then_no_other_is(store: Store) -> None:
    done, waits, alive = ended(store), store.create_run({}), running(store)
    store.flush()
    for run in (waits, alive):
        assert refusal(store.delete, [done, run]) == "history.under-way"
    assert refusal(store.delete, [done, 99]) == "store.no-run"
    assert refusal(store.restore, [99]) == "store.no-run"
    assert store.in_bin() == []


def test_a_run_of_another_living_program_is_deleted_only_once_that_has_died(tmp_path: Path) -> None:
    with open_store(tmp_path) as here:
        with open_store(tmp_path) as there:
            run = running(there)
            there.flush()
            assert refusal(here.delete, [run]) == "history.under-way"
        here.delete([run])
        assert (here.in_bin(), here.run(run).state) == ([run], "interrupted")


def test_what_is_deleted_for_good_leaves_no_row_and_no_folder_and_its_number_is_not_given_again(store: Store) -> None:
    kept, gone = ended(store, accuracy=1.0), ended(store, accuracy=1.0)
    for run in (kept, gone):
        # a run that is under way again tells of everything that there is a table for
        store.queue_again(run, {}, {"update": 1, "torn": []})
        store.write(StateChanged(run=run, state="running"))
        for number in range(2, 20):
            store.write(update(run, number))
        store.write(micro_batch(run, 1, 1))
        store.write(seen(run, 1, 1))
        store.write(replayed(run, 1))
        store.write(sample(run, 1.0))
        store.write(StateChanged(run=run, state="stopped"))
        folder = store.home / "runs" / str(run) / "checkpoint-1"
        folder.mkdir(parents=True)
        (folder / "weights").write_bytes(b"x" * 1000)
    store.flush()
    assert refusal(store.purge, [gone]) == "history.not-in-bin"
    store.delete([kept, gone])
    store.restore([kept])
    assert refusal(store.purge, [gone, kept]) == "history.not-in-bin"
    before = store.read(kept)
    store.purge([gone])
    assert refusal(store.run, gone) == "store.no-run"
    assert not (store.home / "runs" / str(gone)).exists()
    assert (store.home / "runs" / str(kept) / "checkpoint-1" / "weights").stat().st_size == 1000
    assert store.read(kept) == before
    db = connect(store.home / "birikim.sqlite")
    for table in TABLES:
        assert not db.execute(f"SELECT 1 FROM {table} WHERE run = ?", (gone,)).fetchone(), table
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%run INTEGER%'").fetchall()
    assert {row["name"] for row in tables} == set(TABLES)
    db.close()
    assert store.create_run({}) > gone


def test_a_run_that_goes_on_leaves_the_bin(store: Store) -> None:
    run = ended(store)
    store.delete([run])
    store.queue_again(run, {}, {"update": 1, "torn": []})
    assert store.run(run).deleted is None
    assert refusal(store.purge, [run]) == "history.under-way"


def test_a_home_of_format_4_opens_with_its_runs_and_has_a_bin(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = ended(store)
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        back_to_format_4(db)
    db.close()
    for _ in range(2):
        with open_store(tmp_path) as store:
            assert ids(store.history("minilm", sort="loss")) == [run]
            assert (store.run(run).title, store.run(run).tags, store.run(run).deleted) == ("", [], None)
            store.delete([run])
            store.restore([run])
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (5,)
    db.close()


# ---- the disk ----


def test_a_home_is_measured_aside_and_each_run_s_folder_with_it(tmp_path: Path) -> None:
    for name, size in (("runs/1/model/weights", 1000), ("runs/1/log", 10), ("runs/7/log", 5), ("cache/a", 300)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    (tmp_path / "birikim.sqlite").write_bytes(b"x" * 100)
    (tmp_path / "runs" / "1" / "link").symlink_to(tmp_path / "cache" / "a")
    disk = Disk(tmp_path)
    use = disk.wait(60)
    assert use is not None
    assert (use.whole, use.database, use.runs) == (1000 + 10 + 5 + 300 + 100, 100, {1: 1010, 7: 5})
    assert disk.of([1, 2]) == {1: 1010, 2: 0}
    (tmp_path / "runs" / "1" / "log").unlink()
    assert disk.of([1]) == {1: 1010}
    disk.forget()
    assert disk.of([1]) == {1: 1000}
    again = disk.wait(60)
    assert again is not None and again.runs[1] == 1000
    assert folder_bytes(tmp_path / "nowhere") == 0
