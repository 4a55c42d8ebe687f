"""A trained model is tried in a process of its own: every task, the model from before, and what is refused."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.attempt import answering, loading
from engine.attempt.answering import Trying, answered
from engine.config import AttemptRequest, RunConfig
from engine.errors import ConfigError, RunError, StoreError
from engine.events import StateChanged
from engine.session import Session
from engine.store import Store

RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "text": ("tiny-llama", "text-generation", {"name": "sums"}),
    "to text": ("tiny-t5", "text2text-generation", {"name": "sums"}),
    "class": ("tiny-bert", "text-classification", {"name": "sentiment"}),
    "classes": ("tiny-bert", "text-classification", {"name": "reviews"}),
    "number": ("tiny-bert", "text-classification", {"name": "reviews", "problem_type": "regression"}),
    "tags": ("tiny-bert", "token-classification", {"name": "entities"}),
    "masks": ("tiny-bert", "fill-mask", {"name": "sums"}),
}


def config(name: str, **keys: Any) -> RunConfig:
    model, task, data = RUNS[name]
    return RunConfig.from_dict(
        {
            "model": model,
            "task": task,
            "data": {**data, "max_length": 24, "eval_rows": 8},
            "training": {"per_device_train_batch_size": 2, "max_steps": 1, "learning_rate": 1e-2},
            **keys,
        }
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    store = Store(tmp_path_factory.mktemp("home"))
    started = Session(store)
    started.start()
    yield started
    started.close()
    store.close()


@pytest.fixture(scope="module")
def trained(session: Session) -> Callable[..., int]:
    """The run that trained the model of that name, begun at the first question."""
    known: dict[str, int] = {}

    def run(name: str, **keys: Any) -> int:
        mark = json.dumps([name, keys])
        if mark not in known:
            known[mark] = session.submit(config(name, **keys))
            assert session.wait(known[mark], 120).state == "finished"
        return known[mark]

    return run


def question(session: Session, run: int, **request: Any) -> dict[str, Any]:
    found = session.store.run(run)
    folder = session.store.home / "runs" / str(run) / "model"
    asked = AttemptRequest.from_dict(request).to_dict()
    return {"run": run, "ended": found.ended, "folder": str(folder), "config": found.config, "request": asked}


@pytest.fixture(scope="module")
def trying(session: Session) -> Trying:
    """What answers, in this process."""
    return Trying(session.store.home / "cache")


@pytest.mark.slow
def test_a_session_answers_from_another_process_and_its_own_random_state_stays(
    session: Session, trained: Callable[..., int]
) -> None:
    run = trained("text")
    torch.manual_seed(3)
    before = torch.get_rng_state(), random.getstate()
    request = AttemptRequest(text="12 + 30 =", temperature=1.5, seed=7, max_new_tokens=8)
    deadline, began = time.monotonic() + 120, time.monotonic()
    assert session.attempt(run, request)["state"] == "working"
    assert time.monotonic() - began < 2
    while (found := session.attempt(run, request))["state"] == "working" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found["kind"] == "text" and found["text"]
    assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[1]
    [child] = psutil.Process().children()
    # the same knobs say the same, another seed something else
    again = AttemptRequest(text="12 + 30 =", temperature=1.5, seed=8, max_new_tokens=8)
    while (other := session.attempt(run, again))["state"] == "working" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert other["text"] != found["text"] and session.attempt(run, request)["text"] == found["text"]
    assert [each.pid for each in psutil.Process().children()] == [child.pid]
    session.attempts.close()
    assert psutil.Process().children() == []


@pytest.mark.slow
def test_greedy_text_is_what_transformers_writes_and_the_base_is_the_model_that_training_began_with(
    session: Session, trained: Callable[..., int], trying: Trying
) -> None:
    run = trained("text")
    asked = {"text": "12 + 30 =", "max_new_tokens": 6}
    found = answered(trying, question(session, run, **asked))
    folder = session.store.home / "runs" / str(run) / "model"
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    batch = tokenizer("12 + 30 =", return_tensors="pt")
    wanted = model.generate(**batch, max_new_tokens=6, do_sample=False)[0, batch["input_ids"].shape[1] :]
    assert found["text"] == tokenizer.decode(wanted, skip_special_tokens=True)

    base = answered(trying, question(session, run, base=True, **asked))
    assert base["kind"] == "text"
    held = trying._base
    assert held is not None and trying._trained is not None
    # a run of the same seed without an update, by another way
    from engine import datasets, models

    rows = datasets.load(config("text").data, "text-generation", seed=42, cache=folder)
    first = models.load(
        "tiny-llama", "text-generation", labels=None, texts=rows.texts, seed=42, cache=folder
    ).model.state_dict()
    assert all(torch.equal(first[name], value) for name, value in held.model.state_dict().items())


@pytest.mark.slow
def test_classes_come_with_their_probabilities(session: Session, trained: Callable[..., int], trying: Trying) -> None:
    one = answered(trying, question(session, trained("class"), text="A film that I liked"))
    assert one["kind"] == "class" and one["got"] == one["scores"][0]["name"]
    assert sum(score["score"] for score in one["scores"]) == pytest.approx(1)
    several = answered(trying, question(session, trained("classes"), text="A film that I liked"))
    assert several["kind"] == "classes"
    assert several["got"] == [score["name"] for score in several["scores"] if score["score"] > 0.5] or len(
        several["got"]
    ) == sum(score["score"] > 0.5 for score in several["scores"])
    number = answered(trying, question(session, trained("number"), text="A film that I liked"))
    assert number["kind"] == "number" and isinstance(number["got"], float) and number["scores"] == []
    refused = answered(trying, question(session, trained("class"), text="A film", base=True))
    assert refused["code"] == "try.no-base"


@pytest.mark.slow
def test_a_mask_is_filled_and_each_word_has_its_tag(
    session: Session, trained: Callable[..., int], trying: Trying
) -> None:
    run = trained("masks")
    assert session.tryable(run).mask == "[MASK]"
    found = answered(trying, question(session, run, text="12 + [MASK] = [MASK]"))
    assert [len(filling) for filling in found["fillings"]] == [5, 5]
    assert (
        answered(trying, question(session, run, text="12 + [MASK] =", base=True))["fillings"] != found["fillings"][:1]
    )
    assert answered(trying, question(session, run, text="12 + 30"))["code"] == "try.no-mask"
    tags = answered(trying, question(session, trained("tags"), text="Anna  lives in\nOslo"))
    assert [word["word"] for word in tags["words"]] == ["Anna", "lives", "in", "Oslo"]
    assert all(0 < word["score"] <= 1 for word in tags["words"])


@pytest.mark.slow
def test_a_text_becomes_another(session: Session, trained: Callable[..., int], trying: Trying) -> None:
    found = answered(trying, question(session, trained("to text"), text="12+30=", max_new_tokens=4))
    assert found["kind"] == "text" and found["seconds"] > 0
    assert answered(trying, question(session, trained("to text"), text="12+30=", base=True))["kind"] == "text"


@pytest.mark.slow
def test_a_run_with_adapters_is_tried_as_a_whole_model(
    session: Session, trained: Callable[..., int], trying: Trying
) -> None:
    run = trained("text", lora={"r": 2})
    assert answered(trying, question(session, run, text="12 + 30 =", max_new_tokens=3))["state"] == "done"


@pytest.mark.slow
def test_one_run_s_models_are_held_at_a_time(session: Session, trained: Callable[..., int], trying: Trying) -> None:
    answered(trying, question(session, trained("text"), text="1", base=True, max_new_tokens=1))
    held = trying._trained
    answered(trying, question(session, trained("text"), text="2", max_new_tokens=1))
    assert trying._trained is held and trying._base is not None
    answered(trying, question(session, trained("class"), text="2"))
    assert trying._trained is not held and trying._base is None


@pytest.mark.slow
def test_what_is_too_long_or_not_there_is_one_clear_message(
    session: Session, trained: Callable[..., int], trying: Trying, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trained("text")
    long = answered(trying, question(session, run, text="12 + 30 = " * 900, max_new_tokens=512))
    assert long["code"] == "try.too-long" and "beside 512 new ones" in long["message"]
    assert answered(trying, question(session, run, text="hi", chat=True))["code"] == "try.chat"
    folder = Path(question(session, run, text="x")["folder"])
    broken = {**question(session, run, text="x"), "ended": 1.0}
    (folder / "config.json").rename(folder / "config.away")
    try:
        assert answered(trying, broken)["code"] == "try.unreadable"
        with pytest.raises(StoreError) as caught:
            session.tryable(run)
        assert caught.value.code == "try.no-model"
    finally:
        (folder / "config.away").rename(folder / "config.json")
    # what could not be loaded is tried again
    assert answered(trying, broken)["state"] == "done"
    monkeypatch.setattr(loading.psutil, "virtual_memory", lambda: type("Memory", (), {"available": 1000})())
    assert answered(trying, {**broken, "ended": 2.0})["code"] == "try.no-memory"


def test_a_run_that_goes_on_or_that_left_nothing_can_not_be_tried(tmp_path: Path) -> None:
    store = Store(tmp_path)
    session = Session(store)
    try:
        alive = store.create_run(config("text").to_dict())
        proof = store.create_run(config("text").to_dict(), kind="proof", request={})
        ended = store.create_run(config("text").to_dict())
        store.write(StateChanged(run=ended, state="failed"))
        store.flush()
        for run, code in (
            (alive, "try.under-way"),
            (ended, "try.no-model"),
            (proof, "store.no-run"),
            (9, "store.no-run"),
        ):
            with pytest.raises(StoreError) as caught:
                session.attempt(run, AttemptRequest(text="x"))
            assert caught.value.code == code
    finally:
        session.close()
        store.close()


HOSTILE: list[tuple[Any, str]] = [
    (None, "try.request"),
    ("text", "try.request"),
    ({"text": "x", "folder": "/etc"}, "try.request"),
    ({}, "try.text"),
    ({"text": " \n"}, "try.text"),
    ({"text": 3}, "try.text"),
    ({"text": "x" * 10_001}, "try.text"),
    ({"text": "x", "temperature": 0}, "try.knob"),
    ({"text": "x", "temperature": float("nan")}, "try.knob"),
    ({"text": "x", "temperature": "1"}, "try.knob"),
    ({"text": "x", "top_p": 1.01}, "try.knob"),
    ({"text": "x", "top_p": None}, "try.knob"),
    ({"text": "x", "max_new_tokens": 513}, "try.knob"),
    ({"text": "x", "max_new_tokens": 1.5}, "try.knob"),
    ({"text": "x", "max_new_tokens": True}, "try.knob"),
    ({"text": "x", "seed": -1}, "try.knob"),
    ({"text": "x", "seed": 10**400}, "try.knob"),
]


@pytest.mark.parametrize(("values", "code"), HOSTILE)
def test_what_is_no_request_is_refused_in_words(values: Any, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        AttemptRequest.from_dict(values)
    assert caught.value.code == code and len(caught.value.line) < 300


def test_half_a_character_is_no_reason_to_fail() -> None:
    assert AttemptRequest.from_dict({"text": "a\ud800"}).text == "a?"
    whole = AttemptRequest.from_dict({"text": "x", "temperature": 1, "seed": 3.0})
    assert AttemptRequest.from_dict(whole.to_dict()) == whole


def test_what_fails_inside_is_an_answer(trying: Trying, monkeypatch: pytest.MonkeyPatch) -> None:
    for problem, words in ((ValueError("no\nway"), "ValueError: no"), (MemoryError(), "memory ran out")):
        monkeypatch.setattr(trying, "answer", _raising(problem))
        found = answered(trying, {})
        assert (found["state"], found["code"]) == ("failed", "try.failed") and words in found["message"]
    monkeypatch.setattr(trying, "answer", _raising(RunError("try.chat")))
    assert answered(trying, {})["code"] == "try.chat"


def _raising(problem: Exception) -> Callable[[Any], Any]:
    def answer(question: Any) -> Any:
        raise problem

    return answer


def test_a_process_that_nobody_asks_ends_by_itself_and_the_next_question_starts_one(tmp_path: Path) -> None:
    script = (
        "import sys; from engine.answering.loop import answer_lines;"
        "answer_lines(lambda question: {'state': 'done', **question}, idle=0.3)"
    )
    from engine.answering import Questions

    questions = Questions("x", [], most_seconds=20, no_answer="try.no-answer", keeps_failures=False)
    questions._command = [questions._command[0], "-c", script]
    try:
        for value in (1, 2):
            deadline = time.monotonic() + 20
            while (found := questions.ask({"value": value}))["state"] == "working" and time.monotonic() < deadline:
                time.sleep(0.05)
            assert found == {"state": "done", "value": value}
            assert questions._child is not None
            assert questions._child.wait(20) == 0
    finally:
        questions.close()


def test_the_process_waits_longer_than_one_thinks_between_two_questions() -> None:
    assert 60 <= answering.IDLE <= 600
