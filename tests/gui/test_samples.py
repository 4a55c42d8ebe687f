"""What the timeline of samples and trying a model are answered, to pages and to anyone else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Session, Store
from engine.events import SampleTaken, StateChanged
from gui import attempt, samples
from tests.engine.store_runs import open_store, running
from tests.gui.asking import Ask, asking

CONFIG = {"model": "tiny-bert", "task": "fill-mask", "data": {"name": "sums"}, "samples": {"every": 10}}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def ask(store: Store) -> Iterator[Ask]:
    session = Session(store)
    yield asking((*samples.server_functions(store), *attempt.server_functions(session)))
    session.close()


def sample(run: int, update: int, index: int = 1) -> SampleTaken:
    return SampleTaken(
        run=run, update=update, index=index, kind="class", given="A film", wanted="good", got="bad", right=[False],
        scores=[{"name": "bad", "score": 0.9}],
    )  # fmt: skip


def test_each_text_comes_once_and_what_was_said_of_it_by_update(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    for update in (0, 10):
        for index in (1, 2):
            store.write(sample(run, update, index))
    store.flush()
    found = ask("samples", {"run": run, "cursor": ""})
    assert [text["index"] for text in found["texts"]] == [1, 2] and found["reset"]
    assert [(said["update"], said["index"]) for said in found["said"]] == [(0, 1), (0, 2), (10, 1), (10, 2)]
    store.write(sample(run, 20))
    store.flush()
    more = ask("samples", {"run": run, "cursor": found["cursor"]})
    assert not more["reset"] and [said["update"] for said in more["said"]] == [20]
    assert ask("samples", {"run": run, "cursor": more["cursor"]})["said"] == []


@pytest.mark.parametrize("argument", [None, [], {}, {"run": "1"}, {"run": -1}, {"run": 1.5}, {"run": 2**60}])
def test_what_names_no_run_is_answered_in_words(ask: Ask, argument: Any) -> None:
    for name in ("samples", "tryable", "attempt"):
        request = {**argument, "request": {"text": "x"}} if isinstance(argument, dict) else argument
        fault = ask(name, request)["fault"]
        assert (fault["code"], fault["message"]) == ("store.which-run", "No run is named.")
        assert ask(name, {"run": 99, "request": {"text": "x"}})["fault"]["message"] == "There is no run 99."


HOSTILE: list[tuple[Any, str]] = [
    (None, "try.request"),
    ({"text": "x", "folder": "/etc/passwd"}, "try.request"),
    ({"text": ["x"]}, "try.text"),
    ({"text": "x" * 20_000}, "try.text"),
    ({"text": "x", "temperature": {}}, "try.knob"),
    ({"text": "x", "max_new_tokens": 10**30}, "try.knob"),
]


@pytest.mark.parametrize(("request_", "code"), HOSTILE)
def test_what_is_no_question_is_answered_in_words(ask: Ask, store: Store, request_: Any, code: str) -> None:
    run = running(store, **CONFIG)
    store.write(StateChanged(run=run, state="stopped"))
    store.flush()
    assert ask("attempt", {"run": run, "request": request_})["fault"]["code"] == code


def test_a_run_under_way_and_one_without_a_model_say_so(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    assert ask("tryable", {"run": run})["fault"]["code"] == "try.under-way"
    store.write(StateChanged(run=run, state="stopped"))
    store.flush()
    assert ask("tryable", {"run": run})["fault"]["code"] == "try.no-model"
    assert ask("attempt", {"run": run, "request": {"text": "x"}})["fault"]["code"] == "try.no-model"


def test_what_a_model_can_be_asked_is_read_from_its_files(ask: Ask, store: Store) -> None:
    run = running(store, **CONFIG)
    store.write(StateChanged(run=run, state="finished"))
    store.flush()
    folder = store.home / "runs" / str(run) / "model"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    plain = {"task": "fill-mask", "base": True, "mask": None, "chat": False, "trained_on_chat": False}
    assert ask("tryable", {"run": run}) == plain
    for mask in ("[MASK]", {"content": "[MASK]"}):
        (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": mask}))
        assert ask("tryable", {"run": run}) == {**plain, "mask": "[MASK]"}
    (folder / "tokenizer_config.json").write_text("[1")
    assert ask("tryable", {"run": run}) == plain
