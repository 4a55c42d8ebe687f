"""What a run tells TensorBoard, Weights & Biases and Trackio."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import ConfigError, RunConfig, Session, Store, check
from engine.config import reporters, reporting
from engine.events import Event
from engine.session.reporting import Reporting
from tests.engine.store_runs import evaluation, update

SUMS: dict[str, Any] = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"name": "sums", "max_length": 32, "eval_rows": 8},
}


def told(names: list[str], events: list[Event], folder: Path) -> list[tuple[str, str]]:
    """Tells `events` to reporters; who failed and why."""
    failures: list[tuple[str, str]] = []
    reporting = Reporting(
        names, run=7, folder=folder, config={"model": "tiny-llama"}, failed=lambda *why: failures.append(why)
    )
    for event in events:
        reporting.hear(event)
    reporting.end()
    reporting.end()
    return failures


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Every curve of TensorBoard's event files, as (update, value)."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {tag: [(each.step, each.value) for each in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_run_writes_its_losses_and_evaluations_for_tensorboard(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    store = Store(tmp_path)
    session = Session(store)
    session.start()
    try:
        training = {
            "report_to": "tensorboard", "max_steps": 3, "per_device_train_batch_size": 2, "eval_strategy": "steps",
            "eval_steps": 2, "gradient_accumulation_steps": 2,
        }  # fmt: skip
        run = session.submit(RunConfig.from_dict({**SUMS, "training": training}))
        assert session.wait(run, 120).state == "finished"
        curves = scalars(tmp_path / "runs" / str(run) / "tensorboard")
        updates, evaluations = store.updates(run), store.evaluations(run)
        assert [notice["code"] for notice in store.notices(run)] == ["run.reports"]
    finally:
        session.close()
        store.close()
    assert [step for step, _ in curves["train/loss"]] == [1, 2, 3]
    assert [value for _, value in curves["train/loss"]] == pytest.approx([each["loss"] for each in updates], rel=1e-6)
    assert [value for _, value in curves["eval/loss"]] == pytest.approx(
        [each["loss"] for each in evaluations], rel=1e-6
    )
    assert {"train/grad_norm", "train/learning_rate", "eval/perplexity"} <= curves.keys()


class Recorded:
    """A package that keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.api = SimpleNamespace(api_key=None)

    def init(self, **options: Any) -> Recorded:
        self.calls.append(("init", options))
        return self

    def log(self, values: dict[str, float]) -> None:
        self.calls.append(("log", values))

    def finish(self) -> None:
        self.calls.append(("finish", None))


@pytest.fixture(params=["wandb", "trackio"])
def package(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Recorded]]:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    recorded = Recorded()
    monkeypatch.setitem(sys.modules, request.param, recorded)  # type: ignore[arg-type]
    yield request.param, recorded


def test_wandb_and_trackio_hear_each_update_and_each_evaluation_once(
    package: tuple[str, Recorded], tmp_path: Path
) -> None:
    name, recorded = package
    assert told([name], [update(7, 1), update(7, 2), evaluation(7, 2)], tmp_path) == []
    kinds = [kind for kind, _ in recorded.calls]
    assert kinds == ["init", "log", "log", "log", "finish"]
    first = recorded.calls[1][1]
    assert first["train/loss"] == update(7, 1).loss
    assert first["train/global_step"] == 1
    assert recorded.calls[3][1]["eval/loss"] == evaluation(7, 2).loss
    assert recorded.calls[0][1]["name"] == "run-7"


def test_wandb_without_a_key_writes_into_the_run_s_folder_and_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    recorded = Recorded()
    monkeypatch.setitem(sys.modules, "wandb", recorded)  # type: ignore[arg-type]
    told(["wandb"], [update(7, 1)], tmp_path)
    options = recorded.calls[0][1]
    assert (options["mode"], options["dir"]) == ("offline", str(tmp_path))


def test_a_reporter_that_fails_is_left_out_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Broken(Recorded):
        def log(self, values: dict[str, float]) -> None:
            raise ConnectionError("no route to host")

    broken, whole = Broken(), Recorded()
    monkeypatch.setitem(sys.modules, "wandb", broken)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "trackio", whole)  # type: ignore[arg-type]
    failures = told(["wandb", "trackio"], [update(7, 1), update(7, 2)], tmp_path)
    assert failures == [("wandb", "ConnectionError: no route to host")]
    assert [kind for kind, _ in whole.calls] == ["init", "log", "log", "finish"]


@pytest.mark.parametrize("value", ["tensorboard", ["tensorboard", "tensorboard"]])
def test_a_name_or_a_list_says_who_is_told(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "find_spec", lambda name: True)
    config = RunConfig.from_dict({**SUMS, "training": {"report_to": value}})
    assert RunConfig.from_dict(config.to_dict()) == config
    assert reporters(config.training) == ["tensorboard"]


def test_all_are_those_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "find_spec", lambda name: name != "wandb" or None)
    assert reporters({"report_to": "all"}) == ["tensorboard", "trackio"]


@pytest.mark.parametrize("value", ["wandb", "all"])
def test_a_package_that_is_missing_is_named_before_the_run_is_queued(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="wandb") as refused:
        check(RunConfig.from_dict({**SUMS, "training": {"report_to": value}}))
    assert refused.value.code == "training.needs-package"
    assert refused.value.field == "training.report_to"


@pytest.mark.parametrize("value", ["none", [], None])
def test_nobody_is_told_unless_it_is_asked_for(value: Any) -> None:
    config = RunConfig.from_dict({**SUMS, "training": {"report_to": value}})
    assert "report_to" not in config.training
    assert reporters(config.training) == []


@pytest.mark.parametrize("value", ["wandb", ["tensorboard", "trackio"], "all"])
def test_the_page_can_not_have_a_run_told_elsewhere(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "find_spec", lambda name: True)
    config = RunConfig.from_dict({**SUMS, "training": {"report_to": value}})
    with pytest.raises(ConfigError) as refused:
        check(config)
    assert (refused.value.code, refused.value.field) == ("config.reports-elsewhere", "training.report_to")
    check(config, own_code=True)
