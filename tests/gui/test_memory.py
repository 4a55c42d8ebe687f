"""What the Memory tab is answered, and what is asked through it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import ConfigError, MemoryRequest, RunConfig, Store
from engine.events import ResultGrew, StateChanged
from gui.memory import for_page, server_functions
from gui.panels.train import TrainPanel
from tests.browser.accounts import Told, account
from tests.engine.store_runs import open_store, running
from tests.gui.asking import Ask, asking

CONFIG = RunConfig.default().to_dict()
FOUND = {"accounts": [account(RunConfig.default(), 8, 4, measured=True)], "errors": []}


class Memory:
    """A session that knows a few predictions at once and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.working = 0

    def predict(
        self, config: RunConfig, *, micro_batches: tuple[int, ...] = (), device: str | None = None
    ) -> dict[str, Any]:
        self._check(config)
        self.asked.append((config.micro_batch, micro_batches, device))
        if self.working:
            self.working -= 1
            return {"state": "working"}
        return {"state": "done", "account": Told(account(config, config.micro_batch, 4)), "curve": [], "device": "cpu"}

    def fit(self, config: RunConfig, *, effective: int, budget_bytes: int, device: str | None = None) -> dict[str, Any]:
        self._check(config)
        self.asked.append((effective, budget_bytes, device))
        return {"state": "done", "choice": None, "nearest": []}

    def measure(self, config: RunConfig, request: MemoryRequest) -> int:
        self._check(config)
        self.asked.append(request)
        return 5

    def _check(self, config: RunConfig) -> None:
        if config.loss:
            raise ConfigError("config.command-line-only", field="loss")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def ask(memory: Memory, store: Store) -> Ask:
    return asking(server_functions(memory, store))  # type: ignore[arg-type]


def measurement(store: Store, what: str, *, results: int = 1, state: Any = "finished") -> int:
    """A measurement that has told its result so many times."""
    number = store.create_run(CONFIG, kind="memory", request={"what": what, "plans": []})
    if state != "queued":
        store.write(StateChanged(run=number, state="running", activity="training"))
        for _ in range(results):
            store.write(ResultGrew(run=number, values=FOUND))
        if state != "running":
            store.write(StateChanged(run=number, state=state))
    store.flush()
    return number


# ---- predictions ----


def test_a_prediction_says_the_peak_and_with_the_curve_each_plan_of_the_window(ask: Ask, memory: Memory) -> None:
    found = ask("predict", {"config": CONFIG, "device": "cuda", "curve": True})
    assert found["account"]["peak_bytes"] == sum(found["account"]["parts"].values())
    assert "trace" not in found["account"]
    assert memory.asked == [(8, (1, 2, 4, 8, 16, 32), "cuda")]
    ask("predict", {"config": CONFIG, "device": None})
    assert memory.asked[-1] == (8, (), None)


def test_what_is_still_reckoned_is_said(ask: Ask, memory: Memory) -> None:
    memory.working = 1
    assert ask("predict", {"config": CONFIG}) == {"state": "working"}


def test_a_fit_is_asked_for_with_whole_numbers(ask: Ask, memory: Memory) -> None:
    assert ask("fit", {"config": CONFIG, "effective": 256, "budget": 24 * 2**30})["state"] == "done"
    assert memory.asked == [(256, 24 * 2**30, None)]


@pytest.mark.parametrize("wrong", [0, -1, 2**80, 1.5, True, "32", None])
def test_what_is_no_number_fits_nothing(ask: Ask, memory: Memory, wrong: Any) -> None:
    for effective, budget in ((wrong, 2**30), (32, wrong), (2**31, 2**30)):
        answer = ask("fit", {"config": CONFIG, "effective": effective, "budget": budget})
        assert "effective batch from 1 to" in answer["fault"]["message"]
    assert not memory.asked


def test_each_saver_says_what_it_takes_and_saves_with_the_config_to_use(ask: Ask) -> None:
    found = ask("savers", {"config": CONFIG})
    assert (found["state"], [saver["code"] for saver in found["savers"]]) == (
        "done",
        ["halved", "checkpointing", "bf16", "lora"],
    )
    halved = found["savers"][0]
    assert RunConfig.from_dict(halved["config"]).micro_batch == 4
    assert halved["saves_bytes"] == found["peak_bytes"] - halved["peak_bytes"] > 0


def test_savers_that_are_still_reckoned_are_asked_for_one_at_a_time(ask: Ask, memory: Memory) -> None:
    def slow(config: RunConfig, **given: Any) -> dict[str, Any]:
        return {"state": "working"} if config.micro_batch == 4 else Memory.predict(memory, config, **given)

    memory.predict = slow  # type: ignore[assignment]
    found = ask("savers", {"config": CONFIG})
    assert found["state"] == "working"
    assert [saver["state"] for saver in found["savers"]] == ["working"] * 4
    assert "peak_bytes" not in found["savers"][0]


def test_the_cards_are_there_with_their_bytes() -> None:
    [card] = [card for card in for_page() if card["id"] == "rtx-4090"]
    assert card == {"id": "rtx-4090", "family": "NVIDIA GeForce", "model": "RTX 4090", "bytes": 24 * 2**30}


# ---- measurements ----


def test_a_measurement_is_asked_for_as_the_page_wrote_it(ask: Ask, memory: Memory) -> None:
    assert ask("measure", {"config": CONFIG, "what": "xray", "plans": [[8, 4], [32, 1]]}) == {"run": 5}
    assert memory.asked == [MemoryRequest("xray", ((8, 4), (32, 1)))]


@pytest.mark.parametrize("plans", [None, 7, [[0, 1]], [["<b>", 1]], [[2**60, 1]], [[1, 1]] * 9, [[1, 2, 3]]])
def test_what_is_no_plan_is_not_measured(ask: Ask, memory: Memory, plans: Any) -> None:
    answer = ask("measure", {"config": CONFIG, "what": "xray", "plans": plans})
    assert answer["fault"]["code"] == "memory.request"
    assert not memory.asked


def test_nothing_was_measured_in_a_new_home_whatever_was_trained(ask: Ask, store: Store) -> None:
    running(store, **CONFIG)
    assert ask("measured", {"xray": 0, "trial": 0}) == {"xray": {"run": None}, "trial": {"run": None}}


def test_the_newest_of_each_comes_whole_and_then_only_where_it_has_grown(ask: Ask, store: Store) -> None:
    measurement(store, "xray")
    trial = measurement(store, "trial")
    newest = measurement(store, "xray", results=2)
    news = ask("measured", {"xray": 0, "trial": 1})
    assert (news["xray"]["run"]["id"], news["xray"]["number"]) == (newest, 2)
    assert news["xray"]["result"]["accounts"][0]["trace"]["spans"][0]["phase"] == "forward"
    assert (news["trial"]["run"]["id"], news["trial"]["result"]) == (trial, None)


def test_what_is_under_way_comes_before_what_waits_and_says_what_that_waits_for(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    first = measurement(store, "xray", state="queued")
    measurement(store, "xray", state="queued")
    news = ask("measured", {})["xray"]
    assert (news["run"]["id"], news["queued"]) == (first, 1)
    assert news["waits_for"] == {"id": run, "kind": "train"}


# ---- whatever is sent ----

HOSTILE = [
    None, [], "x", 3, {"config": None}, {"config": []}, {"config": {"model": "x" * 9000}}, {"config": {"model": 2**80}},
    {"config": CONFIG, "device": {"$": 1}, "curve": "yes"}, {"config": CONFIG, "device": "tpu", "effective": {}},
    {"config": {**CONFIG, "training": {"per_device_train_batch_size": 2**40}}}, {"config": CONFIG, "what": ["xray"]},
    {"config": {**CONFIG, "loss": "mine.py:loss"}}, {"xray": "1", "trial": -4}, {"xray": 2**90, "run": 1.5},
]  # fmt: skip


@pytest.mark.parametrize("argument", HOSTILE)
@pytest.mark.parametrize("name", ["predict", "fit", "measure", "measured", "savers"])
def test_no_argument_brings_more_than_an_answer_or_a_clear_fault(name: str, argument: Any, ask: Ask) -> None:
    answer = ask(name, argument)
    fault = answer.get("fault")
    assert fault is None or (fault["message"] and fault["code"] != "message.internal"), answer
    assert "Traceback" not in json.dumps(answer)


def test_code_of_ones_own_is_not_run_from_the_page(ask: Ask, memory: Memory) -> None:
    own = {**CONFIG, "loss": "mine.py:loss"}
    for name in ("predict", "measure", "savers"):
        assert ask(name, {"config": own, "what": "xray", "plans": []})["fault"]["code"] == "config.command-line-only"
    assert not memory.asked


# ---- taking settings over ----


def taken(asked: Any, store: Store) -> list[Any]:
    panel = object.__new__(TrainPanel)
    panel._store = store
    panel._ordered = [object()] * 22  # type: ignore[list-item]
    panel._meant = 2
    return panel._taken(asked)


def test_a_config_is_taken_over_into_the_form_as_that_of_a_run_is(store: Store) -> None:
    config = {**CONFIG, "training": {**CONFIG["training"], "per_device_train_batch_size": 16}}
    message, text, _, *fields, settings, again = taken({"use": config}, store)
    assert message["phrases"][0][0]["name"] == "message.taken" and "per_device_train_batch_size: 16" in text["text"]
    assert 16 in fields
    assert settings["own"] == again["own"] == (16, 4)
    assert taken({"use": store.create_run(config)}, store)[1] == text


@pytest.mark.parametrize("use", ["x", [], {"model": 3}, 99, 2**80, {"training": 5}, True])
def test_what_is_no_config_and_no_run_is_refused_in_words(store: Store, use: Any) -> None:
    refused, *others = taken({"use": use}, store)
    assert refused["fault"]["message"]
    assert len(others) == 22 + 4
