"""The same run goes on: in the background thread, on the command line, and after its program was killed."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from transformers import BertForSequenceClassification

from engine.config import RunConfig
from engine.errors import ConfigError, StoreError
from engine.session import Session
from engine.store import Run, Store, checkpoints
from engine.trainer import AccumulatingTrainer
from tests.engine.resumption import OF_THE_CLOCK, same
from tests.engine.test_prepare import saved
from tests.engine.test_resume_exact import small_bert
from tests.engine.test_session import config, store, until
from tests.programs import running

__all__ = ["store"]

pytestmark = pytest.mark.slow


def rows(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in OF_THE_CLOCK} for row in found]


def model(home: Path, run: int) -> Any:
    return load_file(home / "runs" / str(run) / "model" / "model.safetensors")


def whole_updates(home: Path, run: int) -> list[int]:
    return [each.update for each in checkpoints(home, run) if each.whole]


def stop_at(session: Session, store: Store, run: int, update: int) -> Run:
    until(store, run, lambda found: found.update >= update)
    session.command(run, "stop")
    return session.wait(run, 60)


def test_a_stopped_run_goes_on_under_its_number_as_if_it_had_not_been_stopped(session: Session, store: Store) -> None:
    asked = config(40, eval_strategy="steps", eval_steps=5)
    whole = session.wait(session.submit(asked), 120)
    run = session.submit(asked)
    left = stop_at(session, store, run, 7)
    assert left.facts and left.facts["checkpoints"] == whole_updates(store.home, run) == [left.update]
    cursor = store.read(run)["cursor"]
    assert session.resume(run) == run
    again = session.wait(run, 120)
    assert (again.state, again.code, again.update) == ("finished", "run.finished", 40)
    assert rows(store.updates(run)) == rows(store.updates(whole.id))
    assert rows(store.evaluations(run)) == rows(store.evaluations(whole.id))
    assert same(model(store.home, run), model(store.home, whole.id))
    # a page that has read the run before reads it anew, and its curves never go back
    news = store.read(run, cursor)
    assert news["reset"]
    for column in ("seconds", "update", "total_examples"):
        assert news["memory"][column] == sorted(news["memory"][column])
        assert news["updates"][column] == sorted(news["updates"][column])
    # what Stop had left has served
    assert whole_updates(store.home, run) == [] and again.facts and again.facts["checkpoints"] == []


def test_from_an_earlier_checkpoint_what_came_later_is_taken_back(session: Session, store: Store) -> None:
    run = session.wait(session.submit(config(8, save_strategy="steps", save_steps=2)), 120).id
    first = rows(store.updates(run))
    assert whole_updates(store.home, run) == [2, 4, 6, 8]
    session.resume(run, config(10, save_strategy="steps", save_steps=5), from_update=4)
    again = session.wait(run, 120)
    assert (again.state, again.update) == ("finished", 10)
    assert rows(store.updates(run))[:4] == first[:4]
    assert [row["update"] for row in store.updates(run)] == list(range(1, 11))
    # a longer run falls more slowly: 6 of 10 updates are left, where 4 of 8 were
    assert store.updates(run)[4]["learning_rate"] == pytest.approx(1e-3 * 6 / 10)
    assert whole_updates(store.home, run) == [2, 4, 5, 10]
    codes = [notice["code"] for notice in store.notices(run)]
    assert codes == ["run.resumed", "run.resumed-schedule"]
    assert again.config["training"]["max_steps"] == 10


def test_a_torn_checkpoint_is_passed_over_for_the_one_before_and_said(session: Session, store: Store) -> None:
    asked = config(9, save_strategy="steps", save_steps=3)
    whole = session.wait(session.submit(asked), 120)
    run = session.submit(config(9000, save_strategy="steps", save_steps=3))
    left = stop_at(session, store, run, 9)
    folders = {each.update: each.path for each in checkpoints(store.home, run)}
    for update, path in folders.items():
        if update > 6:
            content = bytearray((path / "optimizer.pt").read_bytes())
            content[len(content) // 2] ^= 1
            (path / "optimizer.pt").write_bytes(content)
    session.resume(run, asked)
    again = session.wait(run, 120)
    assert again.state == "finished" and len(folders) >= 3
    told = {notice["code"]: notice["values"] for notice in store.notices(run)}
    assert told["run.resumed"]["update"] == 6
    assert {"update": left.update, "file": "optimizer.pt", "used": 6} in [
        notice["values"] for notice in store.notices(run) if notice["code"] == "run.checkpoint-torn"
    ]
    assert len(store.updates(run)) == len(store.updates(whole.id)) == 9


def test_what_can_t_go_on_is_refused_before_anything_is_changed(session: Session, store: Store) -> None:
    with pytest.raises(StoreError, match="There is no run 7"):
        session.resume(7)
    run = session.wait(session.submit(config(4)), 120).id
    with pytest.raises(StoreError, match="no whole checkpoint to go on from"):
        session.resume(run)
    run = session.wait(session.submit(config(4, save_strategy="steps", save_steps=2)), 120).id
    before = store.run(run)
    with pytest.raises(StoreError, match="no whole checkpoint after update 3") as refused:
        session.resume(run, from_update=3)
    assert "2, 4" in refused.value.remedy
    with pytest.raises(ConfigError, match="all of its 4 updates are"):
        session.resume(run)
    with pytest.raises(ConfigError, match="seed"):
        session.resume(run, config(9, seed=3), from_update=2)
    with pytest.raises(ConfigError, match=r"max_steps” is 1"):
        session.resume(run, config(1))
    assert store.run(run) == before
    other = session.submit(config(4000))
    until(store, other, lambda found: found.update >= 1)
    with pytest.raises(StoreError, match="under way"):
        session.resume(other)
    session.command(other, "stop")
    session.wait(other, 60)


def test_data_that_have_changed_since_are_refused_and_the_run_keeps_what_it_had(
    session: Session, store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("text\n" + "\n".join(f"{number} + {number} = {2 * number}" for number in range(60)))
    values = config(4000).to_dict()
    asked = RunConfig.from_dict({**values, "data": {"path": str(file), "max_length": 24, "eval_rows": 8}})
    run = session.submit(asked)
    left = stop_at(session, store, run, 3)
    file.write_text(file.read_text().replace("7", "8"))
    session.resume(run)
    again = session.wait(run, 120)
    assert (again.state, again.code, again.update) == ("failed", "resume.other-rows", left.update)
    assert whole_updates(store.home, run) == [left.update]


def test_a_file_of_validation_that_has_changed_since_is_refused_in_the_same_way(
    session: Session, store: Store, tmp_path: Path
) -> None:
    rows, beside = tmp_path / "rows.csv", tmp_path / "beside.csv"
    rows.write_text("text\n" + "\n".join(f"{number} + {number} = {2 * number}" for number in range(60)))
    beside.write_text("text\n1 + 2 = 3\n5 + 2 = 7\n")
    data = {"path": str(rows), "validation": str(beside), "max_length": 24}
    run = session.submit(RunConfig.from_dict({**config(4000).to_dict(), "data": data}))
    left = stop_at(session, store, run, 3)
    before = beside.read_text()
    beside.write_text(before.replace("5 + 2", "6 + 1"))
    session.resume(run)
    again = session.wait(run, 120)
    assert (again.state, again.code, again.update) == ("failed", "resume.other-evaluation", left.update)
    assert whole_updates(store.home, run) == [left.update]
    beside.write_text(before)
    session.resume(run)
    until(store, run, lambda found: found.update > left.update)
    session.command(run, "stop")
    session.wait(run, 60)


def test_a_run_that_has_failed_goes_on_after_its_last_update(
    session: Session, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = session.wait(session.submit(config(8)), 120)
    accumulate = AccumulatingTrainer._accumulate

    def failing(trainer: Any, model: Any, window: Any) -> Any:
        losses = accumulate(trainer, model, window)
        if trainer.state.global_step == 5:
            raise RuntimeError("a cosmic ray")
        return losses

    with monkeypatch.context() as patched:
        patched.setattr(AccumulatingTrainer, "_accumulate", failing)
        run = session.wait(session.submit(config(8)), 120)
    assert (run.state, run.update) == ("failed", 5) and whole_updates(store.home, run.id) == [5]
    session.resume(run.id)
    assert session.wait(run.id, 120).state == "finished"
    assert rows(store.updates(run.id)) == rows(store.updates(whole.id))
    assert same(model(store.home, run.id), model(store.home, whole.id))


def test_an_early_stop_is_said_and_the_best_model_is_the_one_that_is_saved(session: Session, store: Store) -> None:
    values = config(
        60, learning_rate=0.3, eval_strategy="steps", eval_steps=2, save_strategy="steps", save_steps=2,
        load_best_model_at_end=True, save_total_limit=2,
    ).to_dict()  # fmt: skip
    run = session.wait(session.submit(RunConfig.from_dict({**values, "early_stopping": {"patience": 2}})), 120)
    assert (run.state, run.code) == ("finished", "run.finished-early") and run.update < 60
    losses = {row["update"]: row["loss"] for row in store.evaluations(run.id)}
    best = min(losses, key=losses.__getitem__)
    assert run.update == best + 4
    told = {notice["code"]: notice["values"] for notice in store.notices(run.id)}
    assert told["run.best-restored"]["update"] == best
    assert run.facts and run.facts["best_checkpoint"] == best and best in run.facts["checkpoints"]


# ---- on the command line ----


def written(home: Path, **training: Any) -> tuple[Path, Path]:
    """A config of a small classifier with dropout, 24 updates in a pass and a half, and a home."""
    folder = saved(BertForSequenceClassification, small_bert, "text-classification", home)
    values = {
        "model": folder,
        "task": "text-classification",
        "data": {"name": "sentiment", "max_length": 48, "eval_rows": 400},
        "training": {
            "per_device_train_batch_size": 8,
            "gradient_accumulation_steps": 4,
            "max_steps": 24,
            "learning_rate": 1e-2,
            "eval_strategy": "steps",
            "eval_steps": 6,
            "save_strategy": "steps",
            "save_steps": 1,
            "save_total_limit": 3,
            **training,
        },
    }
    file = home / "config.yaml"
    file.write_text(RunConfig.from_dict(values).to_yaml())
    return file, home / "home"


def trained(*arguments: str | Path) -> list[dict[str, Any]]:
    with running("-m", "engine", "train", *map(str, arguments), "--json") as program:
        assert program.wait(240) == 0, program.told()
    return [json.loads(line) for line in program.lines]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again_a_run_ends_as_one_that_was_not(seed: int, tmp_path: Path) -> None:
    file, home = written(tmp_path)
    assert trained(file, "--home", home)[-1]["state"] == "finished"
    draw = random.Random(seed)
    arguments: list[str] = []
    done = 0
    for _ in range(3):
        # the checkpoint of the update before is whole when this one is told; there is one from the second on
        kill_at = draw.randint(done + 2, min(23, done + 8))
        with running("-m", "engine", "train", str(file), "--home", str(home), "--json", *arguments) as program:
            program.wait_for_line(f'{{"update": {kill_at},', 240)
            # some time in the next updates and the checkpoints between them
            time.sleep(draw.random() * 0.4)
            program.process.kill()
            program.wait(30)
        kept = whole_updates(home, 2)
        assert kept and kept[-1] >= kill_at - 1
        done = kept[-1]
        arguments = ["--resume", "2"]
        if done > 21:
            break
    said = trained(file, "--home", home, *arguments)
    assert said[-1]["run"] == 2 and said[-1]["state"] == "finished" and said[-1]["updates"] == 24
    assert [each["update"] for each in said[:-1]] == list(range(done + 1, 25))
    store = Store(home)
    try:
        assert rows(store.updates(2)) == rows(store.updates(1))
        assert rows(store.evaluations(2)) == rows(store.evaluations(1))
    finally:
        store.close()
    assert same(model(home, 2), model(home, 1))
    assert not list((home / "runs" / "2" / "checkpoints").glob("partial-*"))


@pytest.mark.timeout(600)
def test_a_killed_run_is_interrupted_and_another_living_program_s_run_is_refused(tmp_path: Path) -> None:
    file, home = written(tmp_path, max_steps=100_000)
    with running("-m", "engine", "train", str(file), "--home", str(home), "--json") as program:
        program.wait_for_line('{"update": 3,')
        with running("-m", "engine", "train", str(file), "--home", str(home), "--resume", "1") as other:
            assert other.wait(120) == 2
            assert "Run 1 is under way (running). Stop it first" in other.told()
        program.process.kill()
        program.wait(30)
    store = Store(home)
    try:
        assert (store.run(1).state, store.run(1).code) == ("interrupted", "run.interrupted")
    finally:
        store.close()
    with running("-m", "engine", "train", str(file), "--home", str(home), "--resume", "1", "--set", "seed=3") as wrong:
        assert wrong.wait(120) == 2
    last = whole_updates(home, 1)[-1]
    said = trained(file, "--home", home, "--resume", "1", "--set", f"training.max_steps={last + 2}")
    assert [each.get("update") for each in said] == [last + 1, last + 2, None]
