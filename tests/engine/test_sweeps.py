"""Sweeps over a real session: what they tell, how they stop and go on, and what they answer."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event

from engine.accumulation import Plan
from engine.config import RunConfig
from engine.errors import WORDING, BirikimError, ConfigError, StoreError
from engine.session import Session
from engine.session.predicting import as_dealt
from engine.store import Store
from engine.sweep import Sweeps, driver
from engine.sweep.driver import noise_config
from engine.sweep.naming import alike, study_name
from engine.sweep.study import FILE
from tests.engine.sweeps import Rehearsal, spec, sums

RATE, MICRO = "training.learning_rate", "training.per_device_train_batch_size"
SHORT = sums(max_steps=4, eval_steps=2)

State = dict[str, Any]


@pytest.fixture
def sweeps(session: Session, store: Store) -> Iterator[Sweeps]:
    made = Sweeps(session, store)
    yield made
    made.close()


@pytest.fixture
def rehearsed(store: Store) -> Iterator[Sweeps]:
    """Over a session that trains nothing."""
    session: Any = Rehearsal(store)
    made = Sweeps(session, store)
    yield made
    made.close()


def until(sweeps: Sweeps, study: str, wanted: Callable[[State], bool], seconds: float = 240) -> State:
    deadline = time.monotonic() + seconds
    while not wanted(state := sweeps.state(study)):
        assert time.monotonic() < deadline, state
        time.sleep(0.1)
    return state


def ended(sweeps: Sweeps, study: str) -> State:
    state = until(sweeps, study, lambda state: state["state"] != "working")
    until(sweeps, study, lambda _: not sweeps.at_work)
    return state


def test_before_the_first_sweep_there_is_none_and_nothing_is_made(store: Store) -> None:
    session: Any = Rehearsal(store)
    sweeps = Sweeps(session, store)
    assert sweeps.studies() == [] and not (store.home / FILE).exists()
    for ask in (sweeps.state, sweeps.stop, sweeps.go_on):
        with pytest.raises(StoreError) as caught:
            ask("sweep-1")
        assert caught.value.code == "sweep.unknown"
    sweeps.close()
    sweeps.close()


@pytest.mark.slow
def test_a_grid_is_tried_whole_and_told_whole(sweeps: Sweeps, store: Store) -> None:
    study = sweeps.start(SHORT, spec({RATE: [1e-3, 1e-2], "effective_batch": [4, 8]}, noise=True))
    assert study == "sweep-1"
    state = ended(sweeps, study)
    json.dumps(state, allow_nan=False)
    assert (state["study"], state["state"], state["fault"], state["method"]) == ("sweep-1", "done", None, "grid")
    assert (state["planned"], state["done"], state["eta"], state["metric"]) == (4, 4, None, "eval_loss")
    assert state["config"] == SHORT.to_dict() and state["left_out"] == []
    assert state["fields"] == {RATE: {"values": [1e-3, 1e-2]}, "effective_batch": {"values": [4, 8]}}
    for trial, values in zip(state["trials"], [(1e-3, 4), (1e-3, 8), (1e-2, 4), (1e-2, 8)], strict=True):
        run = store.run(trial["run"])
        assert run.name == f"sweep/sweep-1/{trial['trial']:04d}"
        assert tuple(trial["values"].values()) == values
        plan = run.config["training"]
        assert plan["per_device_train_batch_size"] * plan["gradient_accumulation_steps"] == values[1]
        assert plan["learning_rate"] == values[0]
        assert (trial["state"], trial["value"], trial["updates"]) == ("finished", run.eval_loss, 4)
        assert trial["seconds"] == run.seconds > 0 and trial["peak_bytes"] > 0
        # of four updates three are warm-up
        [*_, last] = store.updates(run.id)
        assert trial["targets_per_second"] == pytest.approx(last["targets"] / last["duration"])
    best = min(state["trials"], key=lambda trial: trial["value"])
    assert state["best"] == {"trial": best["trial"], "values": best["values"], "value": best["value"]}
    assert 0 <= sum(state["importance"].values()) <= 1 + 1e-9
    noise = state["noise"]
    assert noise["state"] == "done" and noise["windows"] == 8 and "McCandlish" in noise["source"]
    estimate = store.run(noise["run"])
    assert (estimate.kind, estimate.name) == ("noise", "sweep/sweep-1/noise")
    assert estimate.config["window_order"] == "random"
    # nobody's form is changed by a sweep
    assert store.last_set_up() is None
    [listed] = sweeps.studies()
    assert (listed["study"], listed["state"], listed["done"], listed["best_value"]) == (
        "sweep-1",
        "done",
        4,
        best["value"],
    )


@pytest.mark.slow
def test_a_trial_that_fails_or_runs_out_of_memory_is_a_result_and_the_sweep_goes_on(sweeps: Sweeps) -> None:
    fields = {"memory_budget": [None, "1KiB"], RATE: [1e30, 1e-3]}
    state = ended(sweeps, sweeps.start(SHORT, spec(fields)))
    assert [trial["state"] for trial in state["trials"]] == ["failed", "finished", "failed", "failed"]
    codes = [trial["code"] for trial in state["trials"]]
    assert codes == ["run.not-finite", "", "run.out-of-memory", "run.out-of-memory"]
    assert "memory" in state["trials"][2]["message"]
    assert (state["state"], state["done"], state["best"]["trial"], state["importance"]) == ("done", 4, 1, None)


@pytest.mark.slow
def test_a_sweep_that_is_stopped_goes_on_and_ends_as_one_that_never_stopped(sweeps: Sweeps, store: Store) -> None:
    what = spec({RATE: {"from": 1e-4, "to": 1e-1, "log": True}}, method="random", trials=3)
    base = sums(max_steps=30, eval_steps=10)
    right = ended(sweeps, sweeps.start(base, what, "whole"))
    study = sweeps.start(base, what, "stopped")
    with pytest.raises(StoreError) as caught:
        sweeps.start(base, what, "another")
    assert caught.value.code == "sweep.under-way"
    until(sweeps, study, lambda state: state["trials"][1]["updates"] > 5)
    sweeps.stop(study)
    state = ended(sweeps, study)
    assert (state["state"], state["done"], state["eta"]) == ("stopped", 1, None)
    assert [trial["state"] for trial in state["trials"]] == ["finished", "waiting", "waiting"]
    cut = state["trials"][1]["run"]
    assert store.run(cut).state == "stopped"
    sweeps.go_on(study)
    found = ended(sweeps, study)
    assert found["trials"][1]["run"] != cut
    assert found["best"] == right["best"]
    for one, other in zip(found["trials"], right["trials"], strict=True):
        assert (one["values"], one["value"], one["updates"]) == (other["values"], other["value"], other["updates"])
        losses = [[row["loss"] for row in store.updates(trial["run"])] for trial in (one, other)]
        assert losses[0] == losses[1]


@pytest.mark.slow
def test_a_trial_that_somebody_stops_is_told_so_and_the_sweep_goes_on(sweeps: Sweeps, session: Session) -> None:
    study = sweeps.start(sums(max_steps=60, eval_steps=60), spec({RATE: [1e-3, 1e-2]}))
    state = until(sweeps, study, lambda state: state["trials"][0]["updates"] > 2)
    session.command(state["trials"][0]["run"], "stop")
    state = ended(sweeps, study)
    assert [trial["state"] for trial in state["trials"]] == ["stopped", "finished"]
    assert state["trials"][0]["code"] == "run.stopped" and state["trials"][0]["value"] is None


@pytest.mark.slow
def test_a_program_that_closes_leaves_its_trial_to_the_next_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    session = Session(store)
    session.start()
    sweeps = Sweeps(session, store)
    study = sweeps.start(sums(max_steps=3000), spec({RATE: [1e-3, 1e-2]}, updates=2000))
    until(sweeps, study, lambda state: state["trials"][0]["updates"] > 2)
    session.close()
    sweeps.close()
    store.close()
    again = Store(tmp_path / "home")
    rehearsal: Any = Rehearsal(again)
    sweeps = Sweeps(rehearsal, again)
    state = sweeps.state(study)
    assert (state["state"], state["done"]) == ("stopped", 0)
    assert [trial["state"] for trial in state["trials"]] == ["waiting", "waiting"]
    sweeps.go_on(study)
    assert ended(sweeps, study)["state"] == "done"
    sweeps.close()
    again.close()


def test_what_is_wrong_is_told_before_anything_is_made(rehearsed: Sweeps) -> None:
    for wrong in (spec({RATE: [1e-3, -1]}), spec({MICRO: [3]}, effective_batch=4), spec({"loss": ["mine.py:loss"]})):
        with pytest.raises(ConfigError):
            rehearsed.start(SHORT, wrong)
        with pytest.raises(ConfigError):
            rehearsed.plan(SHORT, wrong)
    with pytest.raises(ConfigError) as caught:
        rehearsed.start(SHORT, spec({RATE: [1e-3]}), "../up")
    assert caught.value.code == "sweep.name"
    assert rehearsed.studies() == [] and rehearsed.store.runs() == []


def test_a_plan_says_what_will_be_tried_before_it_starts(rehearsed: Sweeps) -> None:
    found = rehearsed.plan(SHORT, spec({MICRO: [1, 3, 4]}, effective_batch=4, leave_out=True))
    assert (found["planned"], found["left_out"], found["metric"]) == (2, [{MICRO: 3}], "eval_loss")
    assert [(each["micro_batch"], each["accumulation_steps"]) for each in found["trials"]] == [(1, 4), (4, 1)]
    assert rehearsed.plan(SHORT, spec({RATE: {"from": 1e-4, "to": 1}}, method="tpe"))["trials"] == []


def test_the_same_name_with_the_same_settings_is_the_same_sweep_and_with_others_is_taken(rehearsed: Sweeps) -> None:
    ended(rehearsed, rehearsed.start(SHORT, spec({RATE: [1e-3]}), "mine"))
    ended(rehearsed, rehearsed.start(SHORT, spec({RATE: [1e-3]}), "mine"))
    assert len(rehearsed.store.runs()) == 1
    with pytest.raises(StoreError) as caught:
        rehearsed.start(SHORT, spec({RATE: [1e-2]}), "mine")
    assert caught.value.code == "sweep.taken"
    ended(rehearsed, rehearsed.start(SHORT, spec({RATE: [1e-3]})))
    assert [each["study"] for each in rehearsed.studies()] == ["sweep-2", "mine"]


def test_time_left_is_told_once_a_trial_has_shown_how_long_one_takes(rehearsed: Sweeps) -> None:
    session: Any = rehearsed.session
    submit, looked = session.submit, threading.Event()

    def slow(config: RunConfig, name: str = "", **options: Any) -> int:
        if session.submitted:
            looked.wait(60)
        time.sleep(0.5)
        run: int = submit(config, name, **options)
        return run

    session.submit = slow
    study = rehearsed.start(SHORT, spec({RATE: [1e-4, 1e-3, 1e-2, 1e-1]}))
    assert rehearsed.state(study)["eta"] is None
    state = until(rehearsed, study, lambda state: state["done"] == 1)
    took = state["trials"][0]
    assert took["state"] == "finished" and 0 < state["eta"] <= 3 * state["seconds"] + 0.01
    looked.set()
    state = ended(rehearsed, study)
    assert state["eta"] is None
    # what a worker has done is under way no more, though it keeps its claims
    claims = rehearsed._claims(rehearsed._study(study))
    worker = claims.enter()
    held = dict.fromkeys(range(4), time.time() - 100)
    claims.held = lambda: held  # type: ignore[method-assign]
    again = rehearsed.state(study)
    assert (again["state"], again["eta"], again["seconds"]) == ("working", 0.0, state["seconds"])
    claims.leave(worker)


def test_what_ends_a_sweep_from_outside_is_its_fault_and_it_goes_on_afterwards(
    rehearsed: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    session: Any = rehearsed.session
    submit = session.submit
    session.submit = lambda *_, **__: (_ for _ in ()).throw(StoreError("store.disk-full"))
    study = rehearsed.start(SHORT, spec({RATE: [1e-3]}))
    state = ended(rehearsed, study)
    assert (state["state"], state["fault"]["code"], state["done"]) == ("failed", "store.disk-full", 0)
    assert rehearsed.studies()[0]["state"] == "failed"
    session.submit = submit
    rehearsed.go_on(study)
    state = ended(rehearsed, study)
    assert (state["state"], state["fault"]) == ("done", None)


def test_a_storage_that_can_not_be_used_is_told_without_its_password(store: Store, tmp_path: Path) -> None:
    session: Any = Rehearsal(store)
    for address in ("nowhere", "postgresql://me:hush@127.0.0.1:1/studies", f"sqlite:///{tmp_path}/no/such/folder.db"):
        sweeps = Sweeps(session, store, storage=address)
        with pytest.raises(BirikimError) as caught:
            sweeps.start(SHORT, spec({RATE: [1e-3]}), "mine")
        assert caught.value.code == "sweep.storage" and "hush" not in caught.value.line
        assert "\n" not in caught.value.line
        sweeps.close()


def test_a_storage_elsewhere_is_shared_and_tells_all_of_a_trial_that_another_home_has_run(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    states = []
    for home in ("one", "two"):
        store = Store(tmp_path / home)
        session: Any = Rehearsal(store)
        sweeps = Sweeps(session, store, storage=address)
        # on the second machine all is done already
        states.append(ended(sweeps, sweeps.start(SHORT, spec({RATE: [1e-3, 1e-2]}), "shared")))
        assert not (store.home / FILE).exists()
        sweeps.close()
        store.close()
    assert [trial["run"] for trial in states[0]["trials"]] == [1, 2]
    assert [trial["run"] for trial in states[1]["trials"]] == [None, None]
    assert [{**trial, "run": 0} for trial in states[0]["trials"]] == [
        {**trial, "run": 0} for trial in states[1]["trials"]
    ]
    assert states[1]["trials"][0]["predicted_bytes"] == 5000


def test_the_noise_is_estimated_from_rows_that_are_dealt_at_random_in_windows_of_several_micro_batches() -> None:
    base = sums(gradient_accumulation_steps=1, train_sampling_strategy="group_by_length")
    found = noise_config(base)
    assert (found.window_order, found.accumulation_steps, found.micro_batch) == ("random", 4, 2)
    assert found.setting("train_sampling_strategy") == "random"
    assert noise_config(sums()).accumulation_steps == 2


def test_a_sweep_is_the_same_on_another_device_and_where_machines_share_it_with_its_files_in_another_folder(
    tmp_path: Path,
) -> None:
    what = spec({RATE: [1e-3]})
    own = {"path": str(tmp_path / "one" / "rows.csv")}, {"path": str(tmp_path / "two" / "rows.csv")}
    one, other = (RunConfig.from_dict({**SHORT.to_dict(), "data": data}) for data in own)
    device = RunConfig.from_dict({**one.to_dict(), "device": "cpu"})
    longer = RunConfig.from_dict({**one.to_dict(), "data": {**own[0], "max_length": 64}})
    for shared in (False, True):
        assert alike(one, what, shared=shared) == alike(device, what, shared=shared)
        assert alike(one, what, shared=shared) != alike(longer, what, shared=shared)
        assert alike(one, what, shared=shared) != alike(one, spec({RATE: [1e-3]}, seed=1), shared=shared)
    assert alike(one, what, shared=True) == alike(other, what, shared=True)
    assert alike(one, what, shared=False) != alike(other, what, shared=False)
    assert study_name("my sums!", one, what) == study_name("my sums!", device, what)
    assert study_name("my sums!", one, what) != study_name("my sums!", other, what)
    assert study_name("my sums!", one, what).startswith("my-sums-")


def test_files_of_one_name_in_two_folders_are_two_sweeps_unless_a_storage_is_shared(
    store: Store, tmp_path: Path
) -> None:
    def of(folder: str) -> RunConfig:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "rows.csv").write_text("text\n" + "one two three\n" * 40)
        return RunConfig.from_dict({**SHORT.to_dict(), "data": {"path": str(place / "rows.csv"), "max_length": 32}})

    what = spec({RATE: [1e-3]})
    for storage in (None, f"sqlite:///{tmp_path}/shared.sqlite"):
        session: Any = Rehearsal(store)
        sweeps = Sweeps(session, store, storage=storage)
        sweeps.start(of("one"), what, "mine")
        ended(sweeps, "mine")
        if storage:
            sweeps.start(of("two"), what, "mine")
            ended(sweeps, "mine")
        else:
            with pytest.raises(StoreError) as caught:
                sweeps.start(of("two"), what, "mine")
            assert caught.value.code == "sweep.taken"
        sweeps.close()


def test_the_settings_of_a_trial_are_those_of_its_run_but_of_a_short_one_for_the_whole_length(
    rehearsed: Sweeps,
) -> None:
    study = rehearsed.start(sums(max_steps=40), spec({"effective_batch": [4, 8]}, updates=3))
    state = ended(rehearsed, study)
    run = rehearsed.store.run(state["trials"][1]["run"])
    found = rehearsed.settings(study, 1)
    assert (found.micro_batch, found.accumulation_steps, found.setting("max_steps")) == (2, 4, 40)
    assert run.config["training"] == {**found.training, "max_steps": 3, "eval_steps": 1}
    for trial in (-1, 2):
        with pytest.raises(StoreError) as caught:
            rehearsed.settings(study, trial)
        assert caught.value.code == "sweep.no-trial"


def test_the_noise_is_told_with_its_source_and_without_a_whole_window_that_there_is_none(rehearsed: Sweeps) -> None:
    asked = spec({RATE: [1e-3]}, noise=True)
    found = ended(rehearsed, rehearsed.start(SHORT, asked))["noise"]
    assert (found["state"], found["scale"], found["windows"]) == ("done", 40.0, 8) and "McCandlish" in found["source"]
    state = ended(rehearsed, rehearsed.start(sums(gradient_accumulation_steps=1000), asked))
    assert (state["noise"]["state"], state["noise"]["code"]) == ("failed", "sweep.no-noise")
    # the trials are tried all the same
    assert (state["state"], state["best"]["trial"]) == ("done", 0)
    # and it is estimated once
    rehearsed.go_on(state["study"])
    ended(rehearsed, state["study"])
    assert len(rehearsed.store.runs("noise")) == 2


class Guesses:
    """Predicts a thousand bytes a row, at the second question; of seven rows nothing, and of nine rows never."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def predict(self, config: RunConfig, *, device: str) -> State:
        rows = config.micro_batch
        self.asked.append(rows)
        if rows == 9 or self.asked.count(rows) == 1:
            return {"state": "working"}
        if rows == 7:
            values = {"architecture": "Odd", "reason": "no shapes"}
            message, remedy = WORDING["memory.cannot-predict"]
            told = {"message": message.format(**values), "remedy": remedy.format(**values)}
            return {"state": "failed", "code": "memory.cannot-predict", **told, "values": values}
        return {"state": "done", "account": SimpleNamespace(peak_bytes=1000 * rows)}


def test_a_trial_that_ends_before_its_prediction_waits_for_it_and_says_why_there_is_none(
    rehearsed: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    session: Any = rehearsed.session
    session.predicted, session.predictions = None, Guesses()
    session.ends = lambda config: "failed" if config.micro_batch == 2 else "finished"
    state = ended(rehearsed, rehearsed.start(SHORT, spec({MICRO: [1, 2, 7]})))
    json.dumps(state, allow_nan=False)
    assert [each["predicted_bytes"] for each in state["trials"]] == [1000, 2000, None]
    one, failed, odd = (each["unpredicted"] for each in state["trials"])
    assert (one, failed) == (None, None) and state["trials"][1]["state"] == "failed"
    assert (odd["code"], odd["message"]) == (
        "memory.cannot-predict",
        "The memory of Odd can't be predicted: no shapes.",
    )
    monkeypatch.setattr(driver, "FORETELLING", 0)
    [trial] = ended(rehearsed, rehearsed.start(SHORT, spec({MICRO: [9]})))["trials"]
    late = trial["unpredicted"]
    assert trial["predicted_bytes"] is None
    assert (late["code"], late["values"]) == ("sweep.not-predicted", {}) and late["message"] and late["remedy"]
    # what the run was told while it went is not asked again
    session.predicted, session.predictions = 5000, None
    [trial] = ended(rehearsed, rehearsed.start(SHORT, spec({MICRO: [3]})))["trials"]
    assert (trial["predicted_bytes"], trial["unpredicted"]) == (5000, None)


def test_what_is_predicted_of_a_run_that_was_dealt_anew_is_its_last_dealing() -> None:
    base = sums(per_device_train_batch_size=8, gradient_accumulation_steps=2)
    plan = Plan.of(base, 320)
    assert as_dealt(base, Plan.from_dict(plan.to_dict())) == base
    halved = as_dealt(base, Plan.from_dict(plan.dealt_in(4).to_dict()))
    assert (halved.micro_batch, halved.accumulation_steps, halved.micro_batch_tokens) == (4, 4, None)
    assert as_dealt(base, plan.dealt_in(8, 64)).micro_batch_tokens == 64


def test_the_list_of_sweeps_is_counted_and_asks_as_little_of_many_trials_as_of_one(rehearsed: Sweeps) -> None:
    rehearsed.session.ends = lambda config: "failed" if config.setting("learning_rate") > 1 else "finished"  # type: ignore[attr-defined]
    ended(rehearsed, rehearsed.start(SHORT, spec({RATE: [1e-3]}), "one"))
    asked: list[str] = []

    def listed() -> list[State]:
        engine, note = rehearsed._studies().engine, lambda *heard: asked.append(heard[2])
        asked.clear()
        event.listen(engine, "before_cursor_execute", note)
        found = rehearsed.studies()
        event.remove(engine, "before_cursor_execute", note)
        return found

    listed()
    of_one = len(asked)
    ended(rehearsed, rehearsed.start(SHORT, spec({RATE: [1e-3, 1e-2, 10.0, 1e-4]}), "four"))
    for number in range(5):
        rates: Any = [10.0] if number == 4 else {"from": 1e-4, "to": 1e-1, "log": True}
        what = spec({RATE: rates}, method="random", trials=10)
        ended(rehearsed, rehearsed.start(SHORT, what, f"more-{number}"))
    found = {each["study"]: each for each in listed()}
    assert len(asked) == of_one <= 8 and not any("trial_params" in each for each in asked)
    assert list(found) == ["more-4", "more-3", "more-2", "more-1", "more-0", "four", "one"]
    for study, each in found.items():
        state = rehearsed.state(study)
        assert [each[name] for name in ("state", "planned", "done")] == ["done", state["planned"], state["planned"]]
        assert each["best_value"] == (state["best"] and state["best"]["value"])
    assert found["more-4"]["best_value"] is None and found["four"]["planned"] == 4
