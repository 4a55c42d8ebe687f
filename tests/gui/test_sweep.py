"""The sweep: what the program answers of a plan, of a study and of its trials, whatever it is asked."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import RunConfig, Session, Store, Sweeps
from engine.events import StateChanged
from gui.sweep import server_functions
from gui.text import ENGLISH
from gui.written import config_before
from tests.engine.store_runs import open_store, update
from tests.gui.asking import Ask, asking
from tests.gui.sweeps import MICRO, RATE, FakeSweeps

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 64},
    "training": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 4, "max_steps": 40},
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def sweeps(store: Store) -> FakeSweeps:
    return FakeSweeps(None, store)


@pytest.fixture
def ask(sweeps: FakeSweeps, store: Store) -> Ask:
    return asking(server_functions(sweeps, store))  # type: ignore[arg-type]


@pytest.fixture
def engine_s(store: Store) -> Iterator[Ask]:
    """The engine's own sweeps, of which none is started."""
    sweeps = Sweeps(Session(store), store)
    yield asking(server_functions(sweeps, store))
    sweeps.close()


def test_a_file_of_this_machine_is_no_sweep_s_of_a_page_that_others_may_open(engine_s: Ask) -> None:
    config = {**CONFIG, "launch": {"accelerate_config": "/etc/hostname"}}
    for name, spec in (("sweep_check", {"fields": {RATE: [1e-4]}}), ("sweep_presets", None)):
        assert engine_s(name, {"config": config, "spec": spec})["fault"]["code"] == "launch.elsewhere"


def check(ask: Ask, fields: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return ask("sweep_check", {"config": CONFIG, "spec": {"fields": fields, **spec}})


def finish(ask: Ask, study: str) -> dict[str, Any]:
    for _ in range(100):
        found = ask("sweep_state", {"study": study})["state"]
        if found["state"] != "working":
            return found
    raise AssertionError("it never ends")


# ---- before the start ----


@pytest.mark.parametrize("name", ["learning-rate", "cost", "effective-batch"])
def test_each_question_that_is_ready_can_be_started_as_it_is(engine_s: Ask, name: str) -> None:
    presets = engine_s("sweep_presets", {"config": CONFIG})["presets"]
    found = engine_s("sweep_check", {"config": CONFIG, "spec": presets[name]})
    assert found["state"] == "done" and found["trials"] > 2 and found["left_out"] == []
    assert f"sweep.preset.{name}" in ENGLISH


def test_a_start_is_foretold_with_its_trials_and_their_plans(engine_s: Ask) -> None:
    found = check(engine_s, {MICRO: [1, 4, 16], RATE: [1e-4, 1e-3]}, effective_batch=16)
    assert found["trials"] == 6
    assert found["plans"] == [[1, 16, 16], [4, 4, 16], [16, 1, 16]]
    assert found["seconds"] is None


def test_plans_that_are_drawn_are_not_foretold(engine_s: Ask) -> None:
    drawn = check(engine_s, {MICRO: {"from": 1, "to": 8}}, method="random", trials=5)
    assert (drawn["trials"], drawn["plans"]) == (5, [])
    same = check(engine_s, {RATE: {"from": 1e-5, "to": 1e-3, "log": True}}, method="tpe", trials=7)
    assert (same["trials"], same["plans"]) == (7, [[4, 4, 16]])


def test_what_can_not_keep_the_effective_batch_is_refused_and_left_out_only_if_asked_for(engine_s: Ask) -> None:
    refused = check(engine_s, {MICRO: [3, 4]}, effective_batch=16)["fault"]
    assert refused["code"] == "sweep.cannot-divide" and refused["message"]
    found = check(engine_s, {MICRO: [3, 4]}, effective_batch=16, leave_out=True)
    assert found["left_out"] == [{MICRO: 3}] and found["trials"] == 1


def test_how_long_it_takes_is_reckoned_by_an_earlier_run_of_the_same_model_on_the_same_data(
    ask: Ask, store: Store
) -> None:
    run = store.create_run(CONFIG)
    store.write(StateChanged(run=run, state="running"))
    store.write(update(run, 1, total_examples=160))
    store.flush()
    time.sleep(0.02)
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    before = store.run(run)
    assert before.started and before.ended and before.total_examples == 160
    found = check(ask, {RATE: [1e-4, 1e-3, 1e-2]})
    # three trials of 40 updates of 16 examples
    assert found["seconds"] == pytest.approx(3 * 40 * 16 * (before.ended - before.started) / 160)
    shorter = {**CONFIG, "data": {"name": "sums", "max_length": 32}}
    other = ask("sweep_check", {"config": shorter, "spec": {"fields": {RATE: [1e-4]}}})
    assert other["seconds"] is None


def test_every_setting_that_is_offered_has_its_word_and_can_be_varied(engine_s: Ask) -> None:
    source = (ROOT / "assets/sweep-names.js").read_text(encoding="utf-8")
    [offered] = re.findall(r"USUAL = \[(.*?)\]", source, re.S)
    keys = re.findall(r'"([\w.]+)"', offered)
    values: dict[str, Any] = {
        "training.bf16": True,
        "loss_normalization": "trainer",
        "window_order": "random",
        "training.lr_scheduler_type": "constant",
        "training.optim": "sgd",
    }
    assert len(keys) > 10
    for key in keys:
        assert f"sweep.field.{key}" in ENGLISH
        found = check(engine_s, {key: [values.get(key, 16)]})
        assert found.get("trials") == 1, (key, found)


# ---- a study ----


def test_a_start_a_stop_and_a_continuation_reach_the_sweeps(ask: Ask, sweeps: FakeSweeps) -> None:
    study = ask("sweep_start", {"config": CONFIG, "spec": {"fields": {RATE: [1e-4, 1e-3]}}})["study"]
    assert ask("sweep_state", {"study": None})["working"] is True
    assert ask("sweep_stop", {"study": study}) == {}
    assert ask("sweep_state", {"study": study})["state"]["state"] == "stopped"
    assert ask("sweep_go_on", {"study": study}) == {}
    assert sweeps.asked == ["start", f"stop {study}", f"go on {study}"]


def test_without_a_name_the_newest_study_is_told_and_all_are_listed(ask: Ask) -> None:
    assert ask("sweep_state", {})["state"] is None
    for rate in (1e-4, 1e-3):
        ask("sweep_start", {"config": CONFIG, "spec": {"fields": {RATE: [rate]}}})
    found = ask("sweep_state", {"study": None})
    assert [each["study"] for each in found["studies"]] == ["sweep-2", "sweep-1"]
    assert found["state"]["study"] == "sweep-2"
    assert ask("sweep_state", {"study": "sweep-1"})["state"]["study"] == "sweep-1"


def test_a_trial_that_failed_says_why_with_the_values_of_its_run(ask: Ask) -> None:
    study = ask("sweep_start", {"config": CONFIG, "spec": {"fields": {MICRO: [4, 32]}}})["study"]
    state = finish(ask, study)
    assert [trial["state"] for trial in state["trials"]] == ["finished", "failed"]
    assert state["trials"][0]["fault"] is None
    fault = state["trials"][1]["fault"]
    assert fault["code"] == "run.out-of-memory" and fault["values"] == {"phase": "forward"} and fault["message"]
    assert state["state"] == "done" and state["best"]["trial"] == 0


def test_the_settings_of_a_trial_are_those_of_its_run(ask: Ask, store: Store) -> None:
    study = ask("sweep_start", {"config": CONFIG, "spec": {"fields": {MICRO: [2, 8]}, "effective_batch": 16}})["study"]
    state = finish(ask, study)
    config = ask("sweep_settings", {"study": study, "trial": 1})["config"]
    assert config == store.run(state["trials"][1]["run"]).config
    training = RunConfig.from_dict(config)
    assert (training.micro_batch, training.accumulation_steps) == (8, 2)


def test_a_page_opens_with_the_settings_that_someone_wrote_and_not_with_those_of_a_trial(
    ask: Ask, store: Store
) -> None:
    store.create_run(CONFIG)
    finish(ask, ask("sweep_start", {"config": CONFIG, "spec": {"fields": {MICRO: [1, 2]}}})["study"])
    assert config_before(store).to_dict()["training"]["per_device_train_batch_size"] == 4


ARGUMENTS: list[Any] = [None, [], "x", {"study": 3}, {"study": "<b>"}, {"study": "../x"}, {"study": "y" * 10_000}]


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("name", ["sweep_stop", "sweep_go_on", "sweep_settings"])
def test_what_is_no_study_is_refused_in_words(engine_s: Ask, name: str, argument: Any) -> None:
    fault = engine_s(name, argument)["fault"]
    assert fault["code"] == "sweep.unknown" and fault["message"]


@pytest.mark.parametrize("spec", [None, [], {"fields": {}}, {"fields": {"model": "x"}}, {"fields": {RATE: []}}])
@pytest.mark.parametrize("name", ["sweep_check", "sweep_start"])
def test_what_is_no_sweep_is_refused_in_words(ask: Ask, sweeps: FakeSweeps, name: str, spec: Any) -> None:
    fault = ask(name, {"config": CONFIG, "spec": spec})["fault"]
    assert fault["code"].startswith(("sweep.", "config.")) and fault["message"]
    assert not sweeps.asked


@pytest.mark.parametrize("key", ["loss", "trainer"])
def test_a_page_varies_no_python_file(engine_s: Ask, key: str) -> None:
    assert check(engine_s, {key: ["/tmp/own.py:own"]})["fault"]["code"].startswith("config.")


def test_a_wrong_config_is_refused_before_its_sweep(ask: Ask) -> None:
    for name in ("sweep_presets", "sweep_check", "sweep_start"):
        assert ask(name, {"config": {"model": 3}, "spec": {"fields": {RATE: [1]}}})["fault"]["code"]


def test_who_watches_one_study_does_not_have_all_of_them_read_at_each_look(
    sweeps: FakeSweeps, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = ask("sweep_start", {"config": CONFIG, "spec": {"fields": {RATE: [1e-5, 1e-4, 1e-3]}}})["study"]
    looks: list[str] = []
    listed = sweeps.studies
    monkeypatch.setattr(sweeps, "studies", lambda: looks.append("list") or listed())
    for _ in range(5):
        found = ask("sweep_state", {"study": study})
    assert looks == ["list"]
    # what the study itself says is newer than the list
    assert found["working"] is False and found["studies"] == [{"study": study, "state": "done"}]
    ask("sweep_go_on", {"study": study})
    assert ask("sweep_state", {"study": None})["state"]["study"] == study
    assert looks == ["list", "list"]
