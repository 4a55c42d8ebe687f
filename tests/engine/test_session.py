"""Runs in the background thread: the queue, the commands, the ends."""

import gc
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from engine import datasets, models
from engine.config import RunConfig
from engine.errors import ConfigError, StoreError
from engine.session import Session
from engine.session.session import MOST_QUEUED
from engine.store import Run, Store
from engine.trainer import AccumulatingTrainer

pytestmark = pytest.mark.slow


def config(updates: int = 3, **training: Any) -> RunConfig:
    return RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": "text-generation",
            "data": {"name": "sums", "max_length": 24, "eval_rows": 8},
            "training": {
                "per_device_train_batch_size": 2,
                "gradient_accumulation_steps": 2,
                "max_steps": updates,
                "learning_rate": 1e-3,
                **training,
            },
        }
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path)
    yield opened
    opened.close()


def until(store: Store, run: int, reached: Callable[[Run], bool], timeout: float = 60.0) -> Run:
    deadline = time.monotonic() + timeout
    while not reached(found := store.run(run)):
        assert time.monotonic() < deadline, f"run {run} stands at {found}"
        time.sleep(0.01)
    return found


def test_a_run_finishes_and_leaves_a_model_that_loads(session: Session, store: Store) -> None:
    run = session.wait(session.submit(config(eval_strategy="steps", eval_steps=2)), 120)
    assert (run.state, run.update, run.message) == ("finished", 3, "")
    updates = store.updates(run.id)
    assert [update["update"] for update in updates] == [1, 2, 3]
    assert all(update["examples"] == 4 and update["targets"] > 0 and update["memory"] > 0 for update in updates)
    assert [row["index"] for row in store.micro_batches(run.id, 2)] == [1, 2]
    # every 2 updates, and once more at the end
    assert [evaluation["update"] for evaluation in store.evaluations(run.id)] == [2, 3]
    assert run.plan and run.plan["effective_batch"] == 4
    assert run.facts and run.facts["model_class"] == "LlamaForCausalLM" and run.facts["shifts_labels"]
    folder = store.home / "runs" / str(run.id) / "model"
    assert isinstance(AutoModelForCausalLM.from_pretrained(folder), PreTrainedModel)
    assert AutoTokenizer.from_pretrained(folder)("1 + 1")["input_ids"]


def test_the_same_seed_gives_the_same_losses(session: Session, store: Store) -> None:
    first, second = (session.wait(session.submit(config()), 120) for _ in range(2))
    assert [u["loss"] for u in store.updates(first.id)] == [u["loss"] for u in store.updates(second.id)]


def test_a_second_start_queues_and_runs_after_the_first(session: Session, store: Store) -> None:
    first = session.submit(config(400))
    second = session.submit(config(1))
    until(store, first, lambda run: run.update >= 2)
    assert store.run(second).state == "queued"
    session.command(first, "stop")
    assert session.wait(second, 120).state == "finished"
    assert store.run(first).state == "stopped"


def test_a_queued_run_that_is_stopped_never_starts(session: Session, store: Store) -> None:
    first, second = session.submit(config(400)), session.submit(config(1))
    session.command(second, "stop")
    assert store.run(second).state == "stopped"
    session.command(first, "stop")
    assert session.wait(first, 120).state == "stopped"
    assert store.updates(second) == []


def test_pause_holds_resume_goes_on_and_steps_go_one_by_one(session: Session, store: Store) -> None:
    run = session.submit(config(5000))
    session.command(run, "pause")
    until(store, run, lambda found: found.state == "paused")
    assert store.updates(run) == []
    session.command(run, "next-micro-batch")
    until(store, run, lambda found: len(store.micro_batches(run)) == 1 and found.state == "paused")
    [only] = store.micro_batches(run)
    assert only["seconds"] > 0 and only["grad_norm"] > 0
    session.command(run, "next-update")
    until(store, run, lambda found: found.update == 1 and found.state == "paused")
    session.command(run, "resume")
    until(store, run, lambda found: found.update >= 3)
    session.command(run, "pause")
    paused = until(store, run, lambda found: found.state == "paused")
    time.sleep(0.3)
    assert store.run(run).update == paused.update
    session.command(run, "stop")
    stopped = session.wait(run, 60)
    assert stopped.state == "stopped"
    assert (store.home / "runs" / str(run) / "model" / "model.safetensors").exists()


def test_what_a_paused_run_shows_step_by_step_is_in_the_store(session: Session, store: Store) -> None:
    run = session.submit(config(5000))
    session.command(run, "pause")
    until(store, run, lambda found: found.state == "paused")
    assert store.watched(run)["micro_batches"] == []
    session.command(run, "next-micro-batch")
    until(store, run, lambda found: len(store.micro_batches(run)) == 1 and found.state == "paused")
    [seen] = store.watched(run)["micro_batches"]
    assert (seen["update"], seen["index"]) == (1, 1)
    assert seen["norm"] == pytest.approx(store.micro_batches(run)[0]["grad_norm"], rel=1e-5)
    assert seen["rows"] and all(row["pieces"] and row["targets"] for row in seen["rows"])
    session.command(run, "replay")
    until(store, run, lambda found: bool(store.watched(run)["replays"]))
    [told] = store.watched(run)["replays"]
    assert (told["update"], told["index"]) == (1, 1) and told["relative_error"] < 1e-5
    assert store.run(run).state == "paused"
    session.command(run, "next-update")
    until(store, run, lambda found: found.update == 1 and found.state == "paused")
    shown = store.watched(run)
    assert [seen["index"] for seen in shown["micro_batches"]] == list(range(1, seen["of"] + 1))
    assert [(window["update"], window["zeroed"]) for window in shown["windows"]] == [(1, True)]
    session.command(run, "resume")
    until(store, run, lambda found: found.update >= 5)
    with pytest.raises(StoreError) as refused:
        session.command(run, "replay")
    assert refused.value.code == "session.not-stepping"
    session.command(run, "stop")
    session.wait(run, 60)
    # resumed: nobody watches any more
    assert store.watched(run, shown["last"])["windows"] == []


def test_a_stop_pressed_while_the_model_loads_is_honoured(
    session: Session, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = models.load

    def stopped_meanwhile(*arguments: Any, **named: Any) -> Any:
        session.command(store.current_run().id, "stop")
        return load(*arguments, **named)

    monkeypatch.setattr(models, "load", stopped_meanwhile)
    run = session.wait(session.submit(config()), 120)
    assert run.state == "stopped" and store.updates(run.id) == []


@pytest.mark.parametrize("moment", ["micro-batch", "update"])
def test_a_failing_run_says_why_leaves_nothing_alive_and_the_next_one_runs(
    moment: str, session: Session, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[weakref.ref[Any]] = []

    class Failing(AccumulatingTrainer):
        def training_step(self, *arguments: Any, **named: Any) -> Any:
            alive.extend([weakref.ref(self), weakref.ref(self.model)])
            step = super().training_step(*arguments, **named)
            if moment == "micro-batch" or self.state.global_step == 1:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
            return step

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["engine.trainer.prepare"], "AccumulatingTrainer", Failing)
        run = session.wait(session.submit(config()), 120)
    assert (run.state, run.code) == ("failed", "run.out-of-memory")
    assert "Halve the micro-batch" in run.remedy
    assert run.update == (1 if moment == "update" else 0)
    gc.collect()
    assert alive and all(reference() is None for reference in alive)
    assert session.wait(session.submit(config(1)), 120).state == "finished"


def test_a_loss_that_explodes_fails_with_a_remedy(session: Session) -> None:
    run = session.wait(session.submit(config(200, learning_rate=1e30, max_grad_norm=0)), 120)
    assert (run.state, run.code) == ("failed", "run.not-finite")
    assert "learning rate" in run.remedy


def test_a_file_that_vanishes_before_its_turn_fails_in_words(session: Session, store: Store, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("text\n" + "one two three\n" * 30)
    first = session.submit(config(400))
    wanted = RunConfig.from_dict({**config().to_dict(), "data": {"path": str(rows), "text": "text"}})
    second = session.submit(wanted)
    rows.unlink()
    session.command(first, "stop")
    run = session.wait(second, 120)
    assert run.state == "failed" and "rows.csv" in run.message and run.remedy


def test_what_can_be_told_at_once_is_refused_at_once(session: Session, store: Store) -> None:
    for wrong in ({"model": "tiny-lama"}, {"data": {"name": "sum"}}, {"data": {"path": "nowhere.csv"}}):
        with pytest.raises(ConfigError):
            session.submit(RunConfig.from_dict({**config().to_dict(), **wrong}))
    assert store.runs() == []


def test_commands_to_no_run_or_to_an_ended_one_are_refused(session: Session) -> None:
    with pytest.raises(StoreError):
        session.command(99, "pause")
    run = session.wait(session.submit(config(1)), 120)
    with pytest.raises(StoreError, match="has ended"):
        session.command(run.id, "pause")
    with pytest.raises(StoreError, match="no command"):
        session.command(run.id, "explode")  # type: ignore[arg-type]


def test_a_command_from_another_program_reaches_the_run(session: Session, store: Store) -> None:
    run = session.submit(config(5000))
    until(store, run, lambda found: found.update >= 1)
    # what Session.command does for a run that another process owns
    store.send(run, "stop")
    assert session.wait(run, 60).state == "stopped"


def test_libraries_that_do_not_load_end_each_run_in_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engine.session.execute", None)
    session = Session(store)
    session.start()
    for _ in range(2):
        run = session.wait(session.submit(config()), 30)
        assert (run.state, run.code) == ("failed", "session.no-libraries")
    session.close()


def test_closing_stops_the_run_as_stop_does(store: Store) -> None:
    session = Session(store)
    session.start()
    running, queued = session.submit(config(5000)), session.submit(config(1))
    until(store, running, lambda found: found.update >= 1)
    session.close()
    session.close()
    assert store.run(running).state == "stopped"
    assert store.run(queued).state == "stopped"
    assert (store.home / "runs" / str(running) / "model").is_dir()


def test_data_is_checked_against_the_task() -> None:
    with pytest.raises(ConfigError):
        datasets.check(RunConfig.default().data.model_copy(update={"name": "python-docs"}), "text-classification")


def test_a_metric_that_no_evaluation_gives_is_named_and_what_was_trained_is_kept(
    session: Session, store: Store
) -> None:
    training = {
        **config().training, "eval_strategy": "steps", "eval_steps": 2, "save_strategy": "best",
        "metric_for_best_model": "bleu",
    }  # fmt: skip
    wrong = RunConfig.from_dict({**config().to_dict(), "training": training})
    run = session.wait(session.submit(wrong), 120)
    assert (run.state, run.code) == ("failed", "run.no-metric")
    assert "loss, perplexity" in run.message
    folder = store.home / "runs" / str(run.id) / "model"
    assert AutoModelForCausalLM.from_pretrained(folder) is not None


def test_weights_from_before_a_loss_that_is_no_number_are_kept(session: Session, store: Store) -> None:
    training = {**config().training, "learning_rate": 1e30, "max_grad_norm": 0.0, "optim": "sgd"}
    run = session.wait(session.submit(RunConfig.from_dict({**config().to_dict(), "training": training})), 120)
    assert (run.state, run.code, run.update) == ("failed", "run.not-finite", 1), run.message
    assert (store.home / "runs" / str(run.id) / "model" / "model.safetensors").exists()


def test_a_queue_without_end_is_refused_and_a_stopped_place_is_free_again(store: Store) -> None:
    waiting = Session(store)  # without threads nothing leaves the queue
    runs = [waiting.submit(config()) for _ in range(MOST_QUEUED)]
    with pytest.raises(StoreError, match="waiting already"):
        waiting.submit(config())
    waiting.command(runs[0], "stop")
    assert store.run(waiting.submit(config())).state == "queued"
    waiting.close()


def test_what_was_sent_comes_back_no_longer_than_a_message(store: Store) -> None:
    with pytest.raises(ConfigError) as caught:
        Session(store).submit(config().model_copy(update={"model": "x" * 10**6}))
    assert len(caught.value.line) < 2000
