"""Real windows take their turn with the runs, leave an account of each plan, and no run."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from engine.config import MemoryRequest, RunConfig
from engine.errors import ConfigError
from engine.memory.account import CATEGORIES
from engine.session import Session, measuring

CONFIG = {
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 32},
    "training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4, "max_steps": 2},
}


def config(**changes: Any) -> RunConfig:
    return RunConfig.from_dict({**CONFIG, **changes})


@pytest.mark.slow
def test_an_x_ray_shows_the_activations_shrink_and_the_rest_stay(session: Session) -> None:
    store = session.store
    request = MemoryRequest(plans=((8, 4), (32, 1), (1, 32)))
    measured, trained = session.measure(config(), request), session.submit(config())
    ended = [session.wait(run, 120) for run in (measured, trained)]
    assert [run.state for run in ended] == ["finished", "finished"], [run.message for run in ended]
    assert ended[0].code == "memory.measured" and ended[0].kind == "memory"
    assert [run.id for run in store.runs()] == [trained]
    _, result = store.result(measured)
    eight, whole, one = result["accounts"]
    assert result["errors"] == []
    assert [(each["micro_batch"], each["steps"]) for each in result["accounts"]] == [(8, 4), (32, 1), (1, 32)]
    assert one["parts"]["activations"] < eight["parts"]["activations"] < whole["parts"]["activations"]
    for each in result["accounts"]:
        assert each["measured"] and sum(each["parts"].values()) == each["peak_bytes"]
        assert each["parts"]["weights"] == whole["parts"]["weights"]
        trace = each["trace"]["bytes"]
        assert set(trace) == set(CATEGORIES)
        assert max(map(sum, zip(*trace.values(), strict=True))) == each["peak_bytes"]
    assert not (store.home / "runs" / str(measured)).exists()


@pytest.mark.slow
def test_a_plan_that_does_not_fit_is_a_result_too(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    real = measuring.measure

    def tight(prepared: Any, micro_batch: int, steps: int, **more: Any) -> Any:
        if micro_batch > 8:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(prepared, micro_batch, steps, **more)

    monkeypatch.setattr(measuring, "measure", tight)
    run = session.measure(config(), MemoryRequest(what="trial", plans=((32, 1), (8, 4))))
    assert session.wait(run, 120).state == "finished"
    _, result = session.store.result(run)
    [error] = result["errors"]
    assert error["plan"] == [32, 1] and error["code"].startswith("run.out-of-memory") and error["remedy"]
    assert [each["micro_batch"] for each in result["accounts"]] == [8]


@pytest.mark.slow
def test_a_budget_holds_for_a_real_window_too(session: Session) -> None:
    plans = ((2, 16), (32, 1))
    free = session.measure(config(), MemoryRequest(plans=plans))
    session.wait(free, 120)
    _, found = session.store.result(free)
    small, large = (account["peak_bytes"] for account in found["accounts"])
    held = session.measure(config(memory_budget=(small + large) // 2), MemoryRequest(plans=plans))
    assert session.wait(held, 120).state == "finished"
    _, found = session.store.result(held)
    assert [account["peak_bytes"] for account in found["accounts"]] == [small]
    [error] = found["errors"]
    assert error["plan"] == [32, 1] and error["code"] == "run.out-of-memory"


def test_a_window_beyond_all_bounds_is_refused_before_it_is_made(session: Session) -> None:
    run = session.wait(session.measure(config(), MemoryRequest(plans=((2**30, 1),))), 120)
    assert (run.state, run.code) == ("failed", "memory.too-many-tokens") and run.remedy


@pytest.mark.slow
def test_the_own_plan_where_none_is_named_and_no_code_from_elsewhere(session: Session) -> None:
    run = session.measure(config(), MemoryRequest())
    session.wait(run, 120)
    _, result = session.store.result(run)
    assert [(each["micro_batch"], each["steps"]) for each in result["accounts"]] == [(8, 4)]
    with pytest.raises(ConfigError):
        session.measure(config(loss="x.py:loss"), MemoryRequest())


@pytest.mark.parametrize(
    "values",
    [None, [], {"plans": 3}, {"plans": [[1]]}, {"plans": [["1", 8]]}, {"plans": [[True, 8]]}, {"what": "guess"},
     {"plans": [[0, 8]]}, {"plans": [[1, 8]] * 9}, {"plans": [[2**70, 1]]}, {"what": ["xray"]}],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_refused_in_words(values: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        MemoryRequest.from_dict(values)
    assert caught.value.code == "memory.request"
