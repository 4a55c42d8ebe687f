"""What the page's server functions answer, to pages and to anyone else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import RunConfig, Store, StoreError
from engine.events import Command, StateChanged
from gui.charts import CHARTS, X_AXES
from gui.live import server_functions
from tests.engine.store_runs import open_store, update
from tests.gui.asking import Ask, asking

CONFIG = RunConfig.default().to_dict()


class Commands:
    """A session that only remembers what it was told."""

    def __init__(self) -> None:
        self.given: list[tuple[int, Command]] = []

    def command(self, run: int, command: Command) -> None:
        if run == 99:
            raise StoreError("store.no-run", run=run)
        self.given.append((run, command))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def commands() -> Commands:
    return Commands()


@pytest.fixture
def ask(store: Store, commands: Commands) -> Ask:
    """Calls a server function by name, and reads its answer as the browser does: JSON text inside JSON."""
    return asking(server_functions(commands, store))  # type: ignore[arg-type]


def ended_run(store: Store, state: str = "finished", updates: int = 3) -> int:
    run = store.create_run(CONFIG)
    store.write(StateChanged(run=run, state="running", activity="training"))
    for number in range(1, updates + 1):
        store.write(update(run, number))
    store.write(StateChanged(run=run, state=state, code=f"run.{state}"))  # type: ignore[arg-type]
    store.flush()
    return run


def test_a_home_without_runs_is_no_fault(ask: Ask) -> None:
    news = ask("deltas", {"run": None, "cursor": ""})
    assert (news["run"], news["current"], news["queue"], news["fault"]) == (None, None, [], None)


def test_the_first_answer_is_the_whole_run_and_the_next_only_what_is_new(ask: Ask, store: Store) -> None:
    run = ended_run(store)
    news = ask("deltas", {"run": None, "cursor": ""})
    assert news["updates"]["update"] == [1, 2, 3]
    assert news["yaml"].startswith("model: minilm")
    again = ask("deltas", {"run": run, "cursor": news["cursor"]})
    assert again["updates"]["update"] == []
    assert again["yaml"] is None


def test_every_column_that_a_chart_draws_is_in_the_answer(ask: Ask, store: Store) -> None:
    ended_run(store)
    news = ask("deltas", {})
    news["updates"]["throughput"] = []  # the page makes it from targets and duration
    for chart in CHARTS:
        for trace in chart.traces:
            assert {trace.column, *X_AXES} <= news[trace.table].keys()


def test_a_run_that_ended_says_why_in_words_even_where_only_its_code_was_written(ask: Ask, store: Store) -> None:
    ended_run(store, "stopped")
    assert ask("deltas", {})["run"]["message"] == "Stopped; the weights are those after the last update."


def test_a_run_that_is_not_there_is_a_fault_in_words(ask: Ask, store: Store) -> None:
    current = ended_run(store)
    news = ask("deltas", {"run": 4242})
    assert news["run"] is None
    assert news["current"] == current
    assert "4242" in news["fault"]["message"]


def test_a_proof_is_no_run_and_a_run_that_waits_for_it_says_so(ask: Ask, store: Store) -> None:
    proof = store.create_run(CONFIG, kind="proof", request={})
    store.write(StateChanged(run=proof, state="running", activity="proving"))
    run = store.create_run(CONFIG)
    store.flush()
    news = ask("deltas", {})
    assert (news["run"]["id"], news["current"], news["run"]["waits_for"]) == (run, run, {"id": proof, "kind": "proof"})
    assert ask("deltas", {"run": proof})["run"] is None
    assert str(proof) in ask("deltas", {"run": proof})["fault"]["message"]


@pytest.mark.parametrize(
    "argument",
    [
        None,
        [],
        "x",
        7,
        {"run": "1"},
        {"run": -1},
        {"run": 2**70},
        {"run": 1.5},
        {"run": True},
        {"run": 1, "cursor": "x" * 10_000},
        {"run": 1, "cursor": {"$": 1}},
        {"run": 1, "cursor": "9.9.9.9.9.9"},
        {"most": 10**9, "command": "rm -rf", "run": 1},
    ],
)
@pytest.mark.parametrize("name", ["deltas", "command"])
def test_no_argument_brings_more_than_an_answer(name: str, argument: Any, ask: Ask, store: Store) -> None:
    ended_run(store)
    answer = ask(name, argument)
    assert "Traceback" not in json.dumps(answer)
    if name == "deltas":
        assert answer["run"] is None or answer["updates"]["update"] == [1, 2, 3]


def test_a_command_reaches_the_session_and_an_unknown_one_does_not(ask: Ask, commands: Commands) -> None:
    assert ask("command", {"run": 3, "command": "pause"}) == {}
    assert "fault" in ask("command", {"run": 3, "command": "explode"})
    assert commands.given == [(3, "pause")]
    assert "99" in ask("command", {"run": 99, "command": "stop"})["fault"]["message"]


def test_queued_runs_are_told_in_the_order_of_their_turns(ask: Ask, store: Store) -> None:
    first, second, third = (store.create_run(CONFIG) for _ in range(3))
    store.write(StateChanged(run=first, state="running", activity="training"))
    store.flush()
    assert [run["id"] for run in ask("deltas", {})["queue"]] == [second, third]


def test_a_fault_of_ours_is_calm_and_goes_to_the_log(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(store, "current_run", broken)
    answer = ask("deltas", {})
    assert answer["fault"]["code"] == "message.internal"
    assert "secret" not in json.dumps(answer)
    assert "secret detail" in caplog.text


def test_an_answer_that_can_t_be_written_is_a_fault_and_no_crash(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = ended_run(store)
    read = store.read
    for value in (2**70, "\ud800"):
        monkeypatch.setattr(store, "read", lambda *asked, value=value: {**read(*asked), "eta": value})
        assert ask("deltas", {"run": run})["fault"]["code"] == "message.internal"


def test_a_command_that_is_none_is_refused_by_its_name(ask: Ask, store: Store) -> None:
    for asked in ({"run": 1, "command": "explode"}, None):
        assert ask("command", asked)["fault"]["code"] == "session.no-command"
    for run in (-1, "1", None):
        assert ask("command", {"run": run, "command": "stop"})["fault"]["code"] == "store.which-run"
