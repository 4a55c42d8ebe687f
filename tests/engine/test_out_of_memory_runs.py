"""Runs under a budget, in the background thread and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner, Result

from engine.cli import app
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.memory.budget import LiveBytes
from engine.session import Session
from engine.store import Run, Store
from engine.trainer import AccumulatingTrainer
from tests.engine.tiny import relative_error

pytestmark = pytest.mark.slow

SUMS = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums", "max_length": 24, "eval_rows": 128}}
PLAN = {
    "per_device_train_batch_size": 8,
    "gradient_accumulation_steps": 2,
    "max_steps": 2,
    "learning_rate": 1e-3,
    "optim": "sgd",
}
ENOUGH = 2**40


def config(training: dict[str, Any] | None = None, **values: Any) -> RunConfig:
    return RunConfig.from_dict({**SUMS, **values, "training": {**PLAN, **(training or {})}})


Measure = Callable[..., dict[str, int]]


@pytest.fixture
def measure(session: Session, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """What each phase of a config takes at most, from a run under a budget that is never reached."""

    def measured(training: dict[str, Any] | None = None, **values: Any) -> dict[str, int]:
        found: dict[str, int] = {}
        begun: list[AccumulatingTrainer] = []
        count, train = LiveBytes._count, AccumulatingTrainer.train

        def counted(self: LiveBytes, storage: torch.UntypedStorage) -> None:
            count(self, storage)
            phase = str(begun[-1].phase if begun else "loading")
            found[phase] = max(found.get(phase, 0), self.taken)

        def noted(self: AccumulatingTrainer, *arguments: Any, **named: Any) -> Any:
            begun.append(self)
            return train(self, *arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr("engine.memory.budget.capacity", lambda device: 2 * ENOUGH)
            patch.setattr(LiveBytes, "_count", counted)
            patch.setattr(AccumulatingTrainer, "train", noted)
            assert ended(session, config(training, memory_budget=ENOUGH, **values)).state == "finished"
        begun.clear()
        return found

    return measured


@pytest.fixture
def peaks(measure: Measure) -> dict[str, int]:
    """What the first update takes."""
    return measure({"max_steps": 1})


def ended(session: Session, wanted: RunConfig) -> Run:
    return session.wait(session.submit(wanted), 120)


def weights(store: Store, run: Run) -> torch.Tensor:
    values = load_file(store.home / "runs" / str(run.id) / "model" / "model.safetensors")
    return torch.cat([values[name].flatten() for name in sorted(values)])


def test_a_run_that_does_not_fit_says_what_and_where_and_the_next_one_begins_clean(
    session: Session, store: Store, peaks: dict[str, int]
) -> None:
    budget = max(peaks["forward"], peaks["backward"]) - 1
    run = ended(session, config(memory_budget=budget))
    assert (run.state, run.code, run.update) == ("failed", "run.out-of-memory", 0)
    values = run.values
    assert values["phase"] in ("forward", "backward") and values["micro_batch"] in (1, 2) and values["of"] == 2
    assert values["budget_bytes"] == budget and values["imposed"] is True
    sizes = {name: values[f"{name}_bytes"] for name in ("weights", "gradients", "optimizer", "activations")}
    assert sizes[values["most"]] == max(sizes.values()) and budget - values["requested_bytes"] < sum(sizes.values())
    assert values["requested_bytes"] > 0 and values["weights_bytes"] > 0 and values["optimizer_bytes"] == 0
    assert f"{values['phase']} pass of micro-batch" in run.message and "Halve the micro-batch" in run.remedy
    assert run.facts and run.facts["budget_bytes"] == budget
    trace = (store.home / "runs" / str(run.id) / "failure.txt").read_text()
    assert "BudgetExceeded" in trace and "training_step" in trace
    # the same run once more, and one without a budget: bit for bit what it is in a fresh home
    first, second = (ended(session, config(memory_budget=wanted)) for wanted in ("1GiB", None))
    assert (first.state, second.state) == ("finished", "finished")
    assert torch.equal(weights(store, first), weights(store, second))


def test_half_the_micro_batch_goes_on_by_itself_and_the_plan_is_told(
    session: Session, store: Store, peaks: dict[str, int]
) -> None:
    budget = max(peaks["forward"], peaks["backward"]) - 1
    wanted = config({"auto_find_batch_size": True}, memory_budget=budget)
    run = ended(session, wanted)
    assert (run.state, run.update) == ("finished", 2)
    assert run.plan is not None
    plan = {name: run.plan[name] for name in ("micro_batch", "accumulation_steps", "effective_batch", "updates_total")}
    assert plan == {"micro_batch": 4, "accumulation_steps": 4, "effective_batch": 16, "updates_total": 2}
    # the config stays as the person wrote it
    assert RunConfig.from_dict(run.config) == wanted
    [notice] = [each for each in store.notices(run.id) if each["code"].startswith("run.halved")]
    assert notice["message"].startswith("Micro-batch 8 did not fit")
    assert notice["message"].endswith("goes on with 4 × 4: the same 16 rows an update.")
    assert notice["values"]["before"] == 8 and notice["values"]["update"] == 1
    assert notice["values"]["phase"] in ("forward", "backward")
    for update in (1, 2):
        assert [each["index"] for each in store.micro_batches(run.id, update)] == [1, 2, 3, 4]
    smaller = ended(session, config({"per_device_train_batch_size": 4, "gradient_accumulation_steps": 4}))
    assert relative_error(weights(store, run), weights(store, smaller)) < 1e-6
    rows = [[(each["examples"], each["targets"]) for each in store.updates(found.id)] for found in (run, smaller)]
    assert rows[0] == rows[1]
    assert {name: run.plan[name] for name in run.plan} == smaller.plan


def test_a_model_that_is_larger_than_the_budget_is_told_before_the_first_update(session: Session) -> None:
    run = ended(session, config(memory_budget="1KiB"))
    assert (run.state, run.code, run.values["phase"]) == ("failed", "run.out-of-memory", "loading")
    assert "there are 1 KiB" in run.message and "memory_budget" in run.remedy


def test_an_evaluation_that_does_not_fit_keeps_what_was_trained(
    session: Session, store: Store, measure: Measure
) -> None:
    training = {"eval_strategy": "epoch", "per_device_eval_batch_size": 128, "per_device_train_batch_size": 1}
    peaks = measure(training)
    budget = peaks.pop("evaluation") - 1
    assert budget > max(peaks.values())
    run = ended(session, config(training, memory_budget=budget))
    assert (run.code, run.values["phase"], run.update) == ("run.out-of-memory", "evaluation", 2)
    assert "after update 2" in run.message and "per_device_eval_batch_size" in run.remedy
    assert len(weights(store, run))
    # with halving it begins again with fewer rows a batch, and finds the same
    going = ended(session, config({**training, "auto_find_batch_size": True}, memory_budget=budget))
    assert (going.state, going.plan and going.plan["micro_batch"]) == ("finished", 1)
    notices = [each for each in store.notices(going.id) if each["code"] == "run.evaluation-halved"]
    assert "64 rows a batch" in notices[0]["message"]
    [evaluation] = store.evaluations(going.id)
    [free] = store.evaluations(ended(session, config(training)).id)
    assert evaluation["targets"] == free["targets"] and evaluation["loss"] == pytest.approx(free["loss"], rel=1e-6)


@pytest.mark.parametrize("values", [{"packing": True}, {"lora": {"r": 4, "alpha": 8}}])
def test_packed_rows_and_adapters_go_on_with_half_as_well(
    values: dict[str, Any], session: Session, store: Store, measure: Measure
) -> None:
    peaks = measure({"max_steps": 1}, **values)
    budget = max(peaks["forward"], peaks["backward"]) - 1
    run = ended(session, config({"auto_find_batch_size": True}, memory_budget=budget, **values))
    assert run.state == "finished" and run.plan and run.plan["micro_batch"] == 4
    whole = ended(session, config(**values))
    assert relative_error(weights(store, run), weights(store, whole)) < 1e-6


def test_weights_that_are_half_of_one_update_are_not_kept(
    session: Session, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = torch.optim.SGD.step
    steps = []

    def half(self: torch.optim.SGD, closure: Any = None) -> None:
        steps.append(1)
        if len(steps) == 2:
            with torch.no_grad():
                self.param_groups[0]["params"][0].add_(1)
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        step(self, closure)

    # the scheduler replaces `step` of an instance by a wrapper of the class's
    monkeypatch.setattr(torch.optim.SGD, "step", half)
    run = ended(session, config({"auto_find_batch_size": True}))
    assert (run.state, run.code, run.update) == ("failed", "run.half-updated", 1)
    assert not (store.home / "runs" / str(run.id) / "model").exists()


@pytest.mark.parametrize("normalization", ["mean-of-means", "trainer"])
def test_halving_is_refused_where_it_would_change_the_update(normalization: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config({"auto_find_batch_size": True}, loss_normalization=normalization)
    assert (caught.value.code, caught.value.field) == ("config.halving-way", "training.auto_find_batch_size")


def test_halving_is_refused_beside_a_loss_that_is_a_mean_of_means(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def mean(outputs, labels):\n    return outputs.logits.square().mean()\n")
    wanted = config({"auto_find_batch_size": True}, loss=f"{own}:mean")
    found = birikim("train", written(tmp_path, wanted), "--home", tmp_path / "home")
    assert found.exit_code == 2 and "auto_find_batch_size" in found.stderr


# ---- the command line ----


def written(folder: Path, wanted: RunConfig) -> Path:
    file = folder / "small.yaml"
    file.write_text(wanted.to_yaml())
    return file


def birikim(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_run_out_of_memory_ends_with_status_one_and_the_line(tmp_path: Path, peaks: dict[str, int]) -> None:
    file = written(tmp_path, config())
    found = birikim(
        "train", file, "--home", tmp_path / "home", "--json", "--set", f"memory_budget={peaks['forward'] - 1}"
    )
    assert found.exit_code == 1
    assert json.loads(found.stdout.splitlines()[-1])["state"] == "failed"
    assert "Traceback" not in found.stderr
    [line] = [each for each in found.stderr.splitlines() if each.startswith("birikim:")]
    assert "ran out of memory" in line and "MiB were taken" in line and "Halve the micro-batch" in line


@pytest.mark.parametrize("budget", ["8G", "0", "-1", "lots", "true", "[1]", "1.5"])
def test_a_wrong_budget_is_told_before_anything_long(tmp_path: Path, budget: str) -> None:
    file = written(tmp_path, config())
    found = birikim("train", file, "--home", tmp_path / "home", "--set", f"memory_budget={budget}")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1 and "memory_budget" in found.stderr
    assert not (tmp_path / "home").exists()
