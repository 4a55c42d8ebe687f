"""Runs, their states and rows, commands and threads, within one program."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.events import MicroBatchDone, Notice, RunPlanned, StateChanged, UpdateDone, WindowSkipped
from engine.store import Run, Store
from tests.engine.store_runs import evaluation, micro_batch, open_store, running, sample, update


def code_of(call: Any, *values: Any) -> str:
    with pytest.raises(StoreError) as told:
        call(*values)
    return told.value.code


def test_a_new_run_is_queued_and_committed_on_return(tmp_path: Path) -> None:
    with open_store(tmp_path / "deep" / "home") as store:
        before = time.time()
        run = store.create_run({"model": "minilm", "data": {"split": "train"}}, name="first")
        rows = sqlite3.connect(store.home / "birikim.sqlite")
        assert rows.execute("SELECT name, state FROM runs").fetchall() == [("first", "queued")]
        rows.close()
        found = store.run(run)
        assert before <= found.created <= time.time()
        assert dataclasses.replace(found, created=0.0) == Run(
            id=run, name="first", state="queued", activity="", code="", message="", remedy="", values={},
            config={"model": "minilm", "data": {"split": "train"}}, plan=None, facts=None, created=0.0, started=None,
            ended=None, update=0, epoch=0.0, seconds=0.0, loss=None, eval_loss=None, eval_metrics={},
            total_examples=0, total_targets=0, kind="train", request=None, title="", tags=[],
            notes="", deleted=None, owned=True,
        )  # fmt: skip


def test_a_run_shows_its_plan_and_the_values_of_its_last_update_and_evaluation(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(RunPlanned(run=run, plan={"updates_total": 40}, facts={"folder": Path("/x"), "bad": float("nan")}))
        store.write(evaluation(run, 1, loss=0.9))
        store.write(evaluation(run, 2, loss=0.8, metrics={"accuracy": 0.75}))
        for number in (1, 2, 3):
            store.write(update(run, number, loss=1 / number))
        store.flush()
        found = store.run(run)
        assert (found.plan, found.facts) == ({"updates_total": 40}, {"folder": "/x", "bad": None})
        assert (found.update, found.epoch, found.seconds, found.loss) == (3, 0.3, 1.5, 1 / 3)
        assert (found.total_examples, found.total_targets) == (96, 288)
        assert (found.eval_loss, found.eval_metrics) == (0.8, {"accuracy": 0.75})


def test_a_run_starts_once_and_ends_once(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = store.create_run({})
        store.write(StateChanged(run=run, state="loading", activity="model"))
        store.flush()
        started = store.run(run).started
        assert started is not None and store.run(run).activity == "model"
        for state in ("running", "paused", "running"):
            store.write(StateChanged(run=run, state=state))
        store.write(StateChanged(run=run, state="failed", code="x", message="why", remedy="how", values={"a": 1}))
        store.write(StateChanged(run=run, state="stopped"))
        store.write(StateChanged(run=run, state="running"))
        store.flush()
        found = store.run(run)
        assert (found.state, found.code, found.message, found.remedy) == ("failed", "x", "why", "how")
        assert found.values == {"a": 1}
        assert found.started == started and found.ended is not None and found.ended >= started


def test_a_run_that_has_ended_goes_on_only_by_loading_again(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(update(run, 1))
        store.write(StateChanged(run=run, state="stopped"))
    with open_store(tmp_path) as store:
        assert not store.run(run).owned
        store.write(StateChanged(run=run, state="loading"))
        store.write(StateChanged(run=run, state="running"))
        store.write(update(run, 2))
        store.flush()
        found = store.run(run)
        assert (found.state, found.ended, found.update, found.owned) == ("running", None, 2, True)


def test_values_that_are_no_numbers_come_back_as_none(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(update(run, 1, loss=float("nan"), grad_norm=float("inf")))
        store.write(micro_batch(run, 1, 1, loss=float("-inf")))
        store.write(evaluation(run, 1, loss=None, metrics={"perplexity": float("inf"), "accuracy": 0.5}))
        store.write(StateChanged(run=run, state="failed", message="file \udcff", values={"loss": float("nan")}))
        store.flush()
        (row,) = store.updates(run)
        assert (row["loss"], row["grad_norm"]) == (None, None)
        assert store.micro_batches(run)[0]["loss"] is None
        assert store.evaluations(run)[0]["metrics"] == {"perplexity": None, "accuracy": 0.5}
        assert store.run(run).message == "file \\udcff"
        json.dumps(store.read(run), allow_nan=False)


def test_rows_come_back_by_the_names_of_their_events(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run, other = running(store), running(store)
        told = [update(run, number) for number in (1, 2, 3)]
        parts = [micro_batch(run, window, index, of=2) for window in (1, 2) for index in (1, 2)]
        for event in (*told, *parts, update(other, 1), micro_batch(other, 1, 1), evaluation(run, 2)):
            store.write(event)
        store.flush()
        assert [UpdateDone(**row) for row in store.updates(run)] == told
        assert [UpdateDone(**row) for row in store.updates(run, after=2)] == told[2:]
        assert [MicroBatchDone(**row) for row in store.micro_batches(run)] == parts
        assert [MicroBatchDone(**row) for row in store.micro_batches(run, update=2)] == parts[2:]
        assert store.evaluations(run) == [dataclasses.asdict(evaluation(run, 2))]


def test_runs_come_newest_first_and_the_queue_oldest_first(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        assert (store.runs(), store.next_queued(), store.current_run()) == ([], None, None)
        first, second, third = (store.create_run({}) for _ in range(3))
        assert [run.id for run in store.runs()] == [third, second, first]
        store.write(StateChanged(run=first, state="stopped"))
        store.flush()
        queued = store.next_queued()
        assert queued is not None and queued.id == second


def test_the_current_run_is_the_one_under_way_then_the_next_then_the_newest(tmp_path: Path) -> None:
    def current(store: Store) -> int | None:
        store.flush()
        found = store.current_run()
        return found.id if found else None

    with open_store(tmp_path) as store:
        first, second, third = (store.create_run({}) for _ in range(3))
        assert current(store) == first
        store.write(StateChanged(run=second, state="running"))
        assert current(store) == second
        for run in (first, second):
            store.write(StateChanged(run=run, state="finished"))
        assert current(store) == third
        store.write(StateChanged(run=third, state="stopped"))
        assert current(store) == third


def test_an_unknown_run_is_named(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        for call in (store.run, store.read):
            assert code_of(call, 7) == "store.no-run"
        assert code_of(store.send, 7, "stop") == "store.no-run"
        assert (store.updates(7), store.take_commands(7)) == ([], [])


def test_each_command_is_handed_out_once_and_in_order(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, open_store(tmp_path) as page:
        run, other = running(store), running(store)
        store.flush()
        for command in ("pause", "next-update", "resume"):
            page.send(run, command)
        page.send(other, "stop")
        assert store.take_commands(run) == ["pause", "next-update", "resume"]
        assert store.take_commands(run) == []
        assert store.take_commands(other) == ["stop"]


def test_a_command_to_a_run_that_has_ended_does_not_wait_for_its_resumption(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.send(run, "stop")
        store.write(StateChanged(run=run, state="finished"))
        store.flush()
        store.send(run, "stop")
        store.write(StateChanged(run=run, state="loading"))
        store.flush()
        assert store.take_commands(run) == []


def test_skipped_windows_are_one_notice_that_counts(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(Notice(run=run, code="model.new-head", message="a new head", values={"weights": 2}))
        for after in (0, 3, 3):
            store.write(WindowSkipped(run=run, after=after, examples=8))
        store.flush()
        head, skipped = store.notices(run)
        assert head == {"code": "model.new-head", "message": "a new head", "values": {"weights": 2}}
        assert skipped["values"] == {"windows": 3, "examples": 24, "after": 3}
        assert "3 (examples: 24)" in skipped["message"]


def test_many_threads_lose_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        made: list[int] = []

        def work() -> None:
            run = store.create_run({})
            made.append(run)
            for number in range(1, 101):
                store.write(update(run, number))
                store.write(sample(run, number))
            store.flush()
            assert len(store.updates(run)) == store.run(run).update == 100
            assert len(store.read(run)["memory"]["resident"]) == 100

        failures: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as problem:
                failures.append(problem)

        threads = [threading.Thread(target=guarded) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and len(set(made)) == 12


def test_closing_writes_what_is_queued_and_may_be_repeated(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = running(store)
    for number in range(1, 2001):
        store.write(update(run, number))
    store.close()
    store.close()
    for call in (store.runs, store.flush, lambda: store.write(update(run, 1)), lambda: store.create_run({})):
        assert code_of(call) == "store.closed"
    with open_store(tmp_path) as again:
        assert again.run(run).update == 2000


def test_a_closed_store_leaves_no_lock_and_no_thread(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert len(list((tmp_path / "owners").iterdir())) == 1
    store.close()
    assert list((tmp_path / "owners").iterdir()) == []
    assert not any(thread.name == "birikim-store" for thread in threading.enumerate())


def test_an_event_that_can_not_be_written_is_told_and_not_skipped_over(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        run = running(store)
        store.write(update(run, 1))
        store.flush()
        store.write(update(run, 2, targets=2**70))
        assert code_of(store.flush) == "store.failed"
        assert code_of(store.write, update(run, 3)) == "store.failed"
        store.write(StateChanged(run=run, state="failed"))
        store.flush()
        assert (store.run(run).state, store.run(run).update) == ("failed", 1)
