"""What the Compare view is told: runs side by side, nothing when nothing is new, and runs that could be chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Store, compare_runs
from gui.compare import MOST_OFFERED, server_functions
from gui.text import TABLES
from tests.engine.compared_runs import FACTS, config, trained
from tests.engine.store_runs import open_store, running, update
from tests.gui.asking import Ask, asking


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def ask(store: Store) -> Ask:
    return asking(server_functions(store))


def test_a_comparison_is_the_engine_s_with_a_mark(ask: Ask, store: Store) -> None:
    runs = [trained(store), trained(store, settings=config(training__seed=2))]
    found = ask("compare", {"runs": runs, "metric": "loss", "below": 1})
    mark, alive = found.pop("mark"), found.pop("alive")
    assert found == json.loads(json.dumps(compare_runs(store, runs, below=1.0)))
    assert mark and alive is False


def test_what_is_known_already_is_not_sent_again_until_something_is_new(ask: Ask, store: Store) -> None:
    run = running(store, **config())
    store.flush()
    first = ask("compare", {"runs": [run]})
    assert first["alive"] is True
    again = {"runs": [run], "mark": first["mark"]}
    assert ask("compare", again) == {"mark": first["mark"], "alive": True}
    assert "curves" in ask("compare", {**again, "below": 1.0})
    assert "curves" in ask("compare", {**again, "metric": "eval_loss"})
    store.write(update(run, 1))
    store.flush()
    assert ask("compare", again)["runs"][0]["updates"] == 1


def test_newest_runs_are_offered_and_those_that_have_finished_first(ask: Ask, store: Store) -> None:
    finished = [trained(store) for _ in range(3)]
    stopped = trained(store, state="stopped")
    store.create_run(config())
    offered = ask("comparable", {"search": ""})
    assert [run["id"] for run in offered["runs"]] == [*finished[::-1], stopped]
    assert offered["any"] is True
    for _ in range(MOST_OFFERED):
        trained(store, [1.0])
    assert len(ask("comparable", {})["runs"]) == MOST_OFFERED


def test_runs_are_found_by_what_is_said_of_them_and_all_words_count(ask: Ask, store: Store) -> None:
    llama, bert = trained(store), trained(store, settings=config(model="tiny-bert", data__name="reviews"))

    def found(search: str) -> list[int]:
        return [run["id"] for run in ask("comparable", {"search": search})["runs"]]

    assert found("BERT") == [bert]
    assert found("  reviews tiny ") == [bert]
    assert found("tiny") == [bert, llama]
    assert found(str(llama)) == found(f"run {llama}") == found(f"çalışma {llama} bitti") == [llama]
    assert found("llama reviews") == []
    store.annotate(llama, title="The patient one", tags=["thesis"])
    assert found("patient") == found("THESIS") == [llama]
    store.delete([bert])
    assert found("tiny") == [llama]
    assert ask("comparable", {"search": "nothing"}) == {"runs": [], "any": True}


def test_a_home_without_runs_says_so(ask: Ask) -> None:
    assert ask("comparable", {}) == {"runs": [], "any": False}


def test_what_can_t_be_compared_is_a_fault_in_words(ask: Ask, store: Store) -> None:
    run = trained(store)
    for runs, code in (([], "compare.none"), ([99], "store.no-run"), (list(range(run, run + 1)) * 3, None)):
        answer = ask("compare", {"runs": runs})
        assert answer.get("fault", {}).get("code") == code
    many = [trained(store, [1.0]) for _ in range(13)]
    fault = ask("compare", {"runs": many})["fault"]
    assert (fault["code"], fault["values"]["most"]) == ("compare.too-many", 12)


@pytest.mark.parametrize(
    "argument",
    [
        *(None, [], "x", 7, {"runs": "1"}, {"runs": [True]}, {"runs": ["1"]}, {"runs": [-1]}, {"runs": [2**70]}),
        *({"runs": [1.0]}, {"runs": [1] * 10_000, "below": 10**400}, {"runs": [1], "metric": {"$": 1}, "mark": 3}),
        *({"search": "\ud800"}, {"runs": [1], "metric": "\ud800", "mark": "\ud800"}, {"\ud800": 1}),
        *({"search": "x" * 10_000}, {"search": {"a": 1}}, {"search": "%' OR 1"}),
    ],
)
@pytest.mark.parametrize("name", ["compare", "comparable"])
def test_no_argument_brings_more_than_an_answer(name: str, argument: Any, ask: Ask, store: Store) -> None:
    trained(store)
    answer = ask(name, argument)
    assert answer.get("fault", {}).get("code") in (None, "compare.none")


def test_what_was_found_out_and_may_differ_has_its_words(store: Store) -> None:
    other = {
        **FACTS,
        "device": "NVIDIA H200",
        "threads": 9,
        "machine": dict.fromkeys(FACTS["machine"], "B"),
        **dict.fromkeys(("parameters", "trainable", "rows", "evaluation_rows"), 1),
    }
    longer = config(training__gradient_accumulation_steps=8)
    runs = [trained(store), trained(store, [1.0], settings=longer, facts=other)]
    keys = [found["key"] for found in compare_runs(store, runs)["differences"]]
    assert "fact.machine.processor" in keys and "plan.updates_total" in keys
    for key in keys:
        if not key.startswith("training."):
            assert all(f"compared.{key}" in table for table in TABLES.values()), key
