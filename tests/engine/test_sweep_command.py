"""`birikim sweep`: what it prints, and what is wrong before anything starts."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from engine.cli import app
from engine.config import RunConfig, SweepSpec
from engine.errors import StoreError
from engine.store import Store
from engine.sweep import Sweeps
from engine.sweep.claims import Claims
from engine.sweep.presets import presets
from engine.sweeping import sweep_here, time_text
from tests.engine.sweeps import Rehearsal, spec, sums

CONFIG = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32}
training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 2, max_steps: 3, learning_rate: 1e-3}
"""

RATE, MICRO = "training.learning_rate", "training.per_device_train_batch_size"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "sums.yaml"
    file.write_text(CONFIG)
    return file


def birikim(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)])


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ((), ["sweep", "fields"]),
        (("sweep={trials: 3}",), ["sweep.fields"]),
        (("sweep={fields: {training.learning_rat: [1]}}",), ["training.learning_rat"]),
        (("sweep={fields: {training.learning_rate: [1e-3, -1]}}",), ["training.learning_rate", "-1"]),
        (("sweep={fields: {training.learning_rate: 5e-5}}",), ["sweep.fields.training.learning_rate", "5e-05"]),
        (("sweep={fields: {training.per_device_train_batch_size: [3]}, effective_batch: 8}",), ["effective batch"]),
        (("sweep={fields: {training.learning_rate: [1]}, method: gird}",), ["sweep.method", "grid"]),
        (("model=tiny-lama", "sweep={fields: {training.learning_rate: [1]}}"), ["model", "tiny-lama"]),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_wrong_is_one_line_on_standard_error_and_exit_status_two(
    config: Path, tmp_path: Path, overrides: tuple[str, ...], words: list[str], as_json: bool
) -> None:
    options = [each for override in overrides for each in ("--set", override)] + (["--json"] if as_json else [])
    found = birikim(config, "--home", tmp_path / "home", *options)
    assert (found.exit_code, found.stdout) == (2, ""), found.output
    assert found.stderr.count("\n") == 1
    for word in words:
        assert word in found.stderr


def test_a_name_that_is_none_and_a_storage_that_is_none_are_told(config: Path, tmp_path: Path) -> None:
    given = (config, "--home", tmp_path / "home", "--set", "sweep={fields: {training.learning_rate: [1e-3]}}")
    for options in (("--study", "a/b"), ("--storage", "nowhere")):
        found = birikim(*given, *options)
        assert (found.exit_code, found.stdout) == (2, "")
        assert (
            found.stderr.count("\n") == 1 and {"--study": "a/b", "--storage": "--storage"}[options[0]] in found.stderr
        )


@pytest.mark.parametrize(
    ("question", "field"), [("learning-rate", RATE), ("cost", MICRO), ("effective-batch", "effective_batch")]
)
def test_a_ready_question_is_the_page_s_and_stands_in_place_of_what_the_config_says(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, field: str
) -> None:
    asked: list[SweepSpec] = []

    def begin(_: Sweeps, base: RunConfig, what: SweepSpec, name: str = "") -> str:
        assert name.startswith("sums-")
        asked.append(what)
        raise StoreError("sweep.taken", study=name)

    monkeypatch.setattr(Sweeps, "start", begin)
    with config.open("a") as file:
        file.write("sweep: {fields: {training.seed: [1, 2]}}\n")
    given = (config, "--home", tmp_path / "home", "--set", "training.max_steps=8", "--preset", question)
    assert birikim(*given).exit_code == birikim(*given, "--set", "sweep.prune=true").exit_code == 2
    plain = presets(RunConfig.load(config, ["training.max_steps=8"]))[question]
    assert asked == [SweepSpec.from_dict(plain), SweepSpec.from_dict({**plain, "prune": True})]
    assert list(asked[0].fields) == [field]


def test_a_question_that_there_is_not_is_told_with_those_that_there_are(config: Path, tmp_path: Path) -> None:
    found = birikim(config, "--home", tmp_path / "home", "--preset", "lr")
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert "“lr”" in found.stderr and "learning-rate, cost, effective-batch" in found.stderr


def swept(store: Store, *, as_json: bool, **values: Any) -> tuple[list[str], dict[str, Any]]:
    """What a sweep prints whose runs are rehearsed."""
    session: Any = Rehearsal(store)
    sweeps = Sweeps(session, store)
    output, begun = io.StringIO(), []
    state = sweep_here(
        sweeps, sums(), spec(**values), "mine", output, joins=False, as_json=as_json, begun=lambda: begun.append(1)
    )
    sweeps.close()
    assert begun
    return output.getvalue().splitlines(), state


def test_each_trial_is_an_object_and_the_result_is_the_last(store: Store) -> None:
    lines, _ = swept(store, as_json=True, fields={RATE: [1e-2, 1e-3]}, effective_batch=4)
    first, second, result = map(json.loads, lines)
    value = 1 + 0.02 + 1 / 10
    assert first == {
        "trial": 0, "state": "finished", "values": {RATE: 1e-2}, "learning_rate": 1e-2,
        "value": pytest.approx(value), "run": 1, "code": "",
        # 96 targets in half a second
        "peak_bytes": 1000, "predicted_bytes": 5000, "targets_per_second": 192.0,
    }  # fmt: skip
    assert second["value"] == pytest.approx(value - 1)
    assert (result["study"], result["state"], result["trials"], result["planned"]) == ("mine", "done", 2, 2)
    assert (result["best"], result["best_value"]) == ({RATE: 1e-3}, second["value"])
    # the same command tells the same again, and runs nothing
    again, _ = swept(store, as_json=True, fields={RATE: [1e-2, 1e-3]}, effective_batch=4)
    assert again == lines and len(store.runs()) == 2


def test_in_words_the_trials_come_with_how_many_are_done_and_the_best_at_the_end(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, _ = swept(store, as_json=False, fields={MICRO: [1, 3, 4]}, effective_batch=4, leave_out=True)
    assert lines[0] == "sweep mine: 2 trials, by evaluation loss"
    assert lines[1].startswith("trial 0 finished · per_device_train_batch_size 1 · evaluation loss 0.1100 · ")
    assert lines[2].startswith(
        "trial 1 finished · per_device_train_batch_size 4 · evaluation loss 0.1400 · 1000 B at the peak · "
        "192 targets a second · 2 of 2 done"
    )
    assert lines[3] == "best: trial 0 with per_device_train_batch_size 1: evaluation loss 0.1100"
    assert "left out" in (said := capsys.readouterr().err) and "per_device_train_batch_size 3" in said


def test_the_rate_that_a_trial_trains_with_is_told_where_it_follows_the_effective_batch(store: Store) -> None:
    # the config has 2 × 2 = 4 examples an update: a half, and four times as many
    what: dict[str, Any] = {"fields": {"effective_batch": [2, 16]}, "learning_rate_scaling": "square-root"}
    lines, state = swept(store, as_json=False, **what)
    assert "effective_batch 2 · trained at 0.0007071 · " in lines[1]
    assert "effective_batch 16 · trained at 0.002 · " in lines[2]
    told = [json.loads(line)["learning_rate"] for line in swept(store, as_json=True, **what)[0][:2]]
    assert told == pytest.approx([1e-3 / 2**0.5, 2e-3])
    runs = [store.run(trial["run"]).config["training"]["learning_rate"] for trial in state["trials"]]
    assert runs == told == [trial["learning_rate"] for trial in state["trials"]]


def test_who_does_not_join_is_told_that_another_program_is_at_work(store: Store) -> None:
    session: Any = Rehearsal(store)
    sweeps = Sweeps(session, store)
    sweeps.start(sums(), spec({RATE: [1e-3]}), "mine")
    while sweeps.at_work:
        time.sleep(0.01)
    other: Claims = sweeps._claims(sweeps._study("mine"))
    worker = other.enter()
    with pytest.raises(StoreError) as caught:
        sweep_here(
            sweeps, sums(), spec({RATE: [1e-3]}), "mine", io.StringIO(), joins=False, as_json=True, begun=lambda: None
        )
    assert caught.value.code == "sweep.has-workers" and "--worker" in caught.value.remedy
    other.leave(worker)
    sweeps.close()


def test_time_is_told_as_exactly_as_a_guess_is() -> None:
    assert [time_text(seconds) for seconds in (0.2, 41.6, 89, 100, 5000, 3600 * 3 + 300)] == [
        "1 s", "42 s", "89 s", "2 min", "83 min", "3 h 5 min"
    ]  # fmt: skip
