"""What the Prove tab is answered, and what is asked through it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import WORDING, ConfigError, ProofRequest, RunConfig, Store
from engine.events import Notice, ResultGrew, StateChanged
from gui import form
from gui.faults import words_of
from gui.panels.prove import ProvePanel
from gui.proofs import TONES, server_functions
from gui.turns import busy, waits_for
from tests.engine.store_runs import open_store, running
from tests.gui.asking import Ask, asking

CONFIG = RunConfig.default().to_dict()
EXACT = {"code": "proof.exact", "values": {"plan": "8 × 4", "rows": 32, "targets": 32, "error": "3e-7"}}
FOUR_TIMES = {"code": "proof.trainer-scaled", "values": {"ratio": "4.00"}}
RESULT = {"plans": [[8, 4]], "curves": [], "proof": {"ways": []}, "verdict": [EXACT, FOUR_TIMES]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def ask(store: Store) -> Ask:
    return asking(server_functions(store))


def proof(store: Store, *, results: int = 1, state: Any = "finished") -> int:
    """A proof that has told its result so many times."""
    number = store.create_run(CONFIG, kind="proof", request=ProofRequest(updates=3).to_dict())
    if state != "queued":
        store.write(StateChanged(run=number, state="running", activity="proving"))
        for _ in range(results):
            store.write(ResultGrew(run=number, values=RESULT))
        if state != "running":
            store.write(StateChanged(run=number, state=state, code=f"proof.{state}" if state == "finished" else ""))
    store.flush()
    return number


def test_a_home_without_proofs_is_no_fault_whatever_was_trained(ask: Ask, store: Store) -> None:
    running(store, **CONFIG)
    assert ask("proof", {"run": None, "after": 0}) == {"run": None}


def test_the_newest_proof_comes_whole_and_then_only_where_it_has_grown(ask: Ask, store: Store) -> None:
    proof(store)
    newest = proof(store, results=2)
    running(store, **CONFIG)
    news = ask("proof", {"run": None, "after": 0})
    assert (news["run"]["id"], news["number"], news["run"]["state"]) == (newest, 2, "finished")
    assert news["run"]["request"] == {"plans": [], "precision": "fp32", "updates": 3}
    assert news["result"]["plans"] == [[8, 4]]
    assert ask("proof", {"run": newest, "after": 2})["result"] is None
    assert ask("proof", {"run": newest, "after": 1})["result"] is not None


def test_the_verdict_is_in_words_and_says_what_each_sentence_means(ask: Ask, store: Store) -> None:
    proof(store)
    right, wrong = ask("proof", {})["result"]["verdict"]
    assert right["message"].startswith("Exact to 3e-7: 8 × 4 adds up to the gradient of one batch of 32 rows")
    assert (right["tone"], wrong["tone"]) == ("good", "bad")
    assert wrong["message"] == "The stock Trainer would be 4.00 × too large here."


def test_every_sentence_of_a_verdict_that_judges_has_a_meaning() -> None:
    said = {code for code in WORDING if code.startswith("proof.")}
    only_adds = {code for code in said if code.startswith("proof.cause-")}
    assert said - only_adds == {
        *TONES,
        "proof.rows",
        "proof.finished",
        "proof.request",
        "proof.other-window",
        "proof.quantized",
    }


def test_a_sentence_that_this_version_does_not_know_stands_without_words(ask: Ask, store: Store) -> None:
    number = proof(store)
    store.write(ResultGrew(run=number, values={**RESULT, "verdict": [{"code": "proof.newer", "values": {}}]}))
    store.flush()
    assert ask("proof", {})["result"]["verdict"] == [
        {"code": "proof.newer", "values": {}, "message": "", "remedy": "", "tone": "plain"}
    ]
    assert words_of("proof.exact", {}) == ("", "")


def test_a_queued_proof_says_which_run_it_waits_for_and_a_run_which_proof(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    proof(store, state="queued")
    proof(store, state="queued")
    news = ask("proof", {})
    assert (news["waits_for"], news["queued"]) == ({"id": run, "kind": "train"}, 1)
    assert busy(store)
    store.write(StateChanged(run=run, state="finished", code="run.finished"))
    store.write(StateChanged(run=news["run"]["id"], state="running", activity="proving"))
    store.flush()
    assert ask("proof", {})["waits_for"] is None
    assert waits_for(store, "queued", True) == {"id": news["run"]["id"], "kind": "proof"}
    assert waits_for(store, "queued", False) is None


def test_what_the_proof_noticed_is_told_with_it(ask: Ask, store: Store) -> None:
    number = proof(store)
    store.write(Notice(run=number, code="run.nothing-to-evaluate", message="No rows are held out."))
    store.flush()
    assert [notice["message"] for notice in ask("proof", {})["notices"]] == ["No rows are held out."]


def test_a_training_run_is_no_proof(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    assert str(run) in ask("proof", {"run": run})["fault"]["message"]


@pytest.mark.parametrize(
    "argument",
    [None, [], "x", {"run": "1"}, {"run": -1}, {"run": True}, {"run": 1.5}, {"after": "x"}, {"after": 2**80},
     {"search": {"$": 1}, "task": 3, "page": -4}, {"search": "x" * 10_000}, {"page": 2**52}],
)  # fmt: skip
@pytest.mark.parametrize("name", ["proof", "heads"])
def test_no_argument_brings_more_than_an_answer(name: str, argument: Any, ask: Ask, store: Store) -> None:
    proof(store)
    answer = ask(name, argument)
    assert answer.get("fault") is None
    assert "Traceback" not in json.dumps(answer)


# ---- asking for a proof ----


class Session:
    """Takes what is to be proved, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[tuple[RunConfig, ProofRequest]] = []

    def prove(self, config: RunConfig, request: ProofRequest) -> int:
        request.plans_for(config)
        if config.loss:
            raise ConfigError("config.command-line-only", field="loss")
        self.asked.append((config, request))
        return 8


def press(session: Session, request: Any, text: str = "", **fields: Any) -> dict[str, Any]:
    """What the page is answered when Prove it was pressed over a form changed in `fields`, or over the YAML `text`."""
    panel = object.__new__(ProvePanel)
    panel._session = session  # type: ignore[assignment]
    shown = {**form.show(RunConfig.default()), **fields}
    pane = {"text": text or RunConfig.default().to_yaml()}
    return panel._asked("yaml" if text else "form", pane, *shown.values(), request)


def test_what_the_form_says_is_proved_as_it_was_asked_for() -> None:
    session = Session()
    answer = press(session, {"plans": [[1, 8], [8, 1]], "precision": "fp64", "updates": 5}, **{"micro-batch": 2})
    assert answer == {"proof": 8}
    [(config, request)] = session.asked
    assert (config.micro_batch, config.accumulation_steps) == (2, 4)
    assert request == ProofRequest(((1, 8), (8, 1)), "fp64", 5)


@pytest.mark.parametrize(
    ("request_", "code"),
    [(None, "proof.request"), ({"plans": [["<b>", 1]]}, "proof.request"), ({"updates": None}, "proof.request"),
     ({"plans": [[3, 3]]}, "proof.other-window")],
)  # fmt: skip
def test_what_is_no_request_is_refused_in_words(request_: Any, code: str) -> None:
    session = Session()
    answer = press(session, request_)
    assert answer["fault"]["code"] == code
    assert answer["fault"]["message"]
    assert not session.asked


def test_a_wrong_setting_is_told_about_its_field_and_own_code_is_not_run_from_the_page() -> None:
    session = Session()
    assert press(session, {}, **{"micro-batch": 0})["field"] == "micro-batch"
    own = press(session, {}, text=RunConfig.default().to_yaml() + "loss: mine.py:loss\n")
    assert (own["fault"]["code"], own["field"]) == ("config.command-line-only", "yaml")
    assert not session.asked
