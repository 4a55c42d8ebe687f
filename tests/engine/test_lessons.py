"""Lessons: their parts are ordinary works, their state is read from the store alone, their words are whole."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from engine.checks import check
from engine.config import RunConfig
from engine.errors import ConfigError, StoreError
from engine.lessons import LESSONS, WORDS, Lessons, told
from engine.lessons.telling import number_text
from engine.session import Session
from engine.store import Store

UNITS = {"count", "number", "bytes", "error", "ratio", "share", "seconds", "rate"}


@pytest.fixture
def lessons(store: Store) -> Lessons:
    """Over a session whose threads never begin: what is queued stays so."""
    return Lessons(Session(store), store)


def test_every_part_of_every_lesson_is_a_config_that_can_start() -> None:
    for lesson in LESSONS.values():
        assert len({part.name for part in lesson.parts}) == len(lesson.parts)
        for part in lesson.parts:
            check(RunConfig.from_dict(part.config))


def test_both_languages_have_the_same_words_with_the_same_values() -> None:
    assert WORDS["en"].keys() == WORDS["tr"].keys()
    for name, text in WORDS["en"].items():
        found = [sorted((field, unit) for _, field, unit, _ in Formatter().parse(words) if field)
                 for words in (text, WORDS["tr"][name])]  # fmt: skip
        assert set(found[0]) == set(found[1]), name
        assert {unit for _, unit in found[0]} <= {*UNITS, ""}, name


def test_a_ratio_that_already_says_times_is_no_katı_besides() -> None:
    assert number_text(4.0, "ratio") == "4.00 ×"
    assert [name for name, words in WORDS["tr"].items() if ":ratio} kat" in words] == []


def test_parts_and_columns_have_words(lessons: Lessons) -> None:
    for name, lesson in LESSONS.items():
        assert {f"lesson.{name}.part.{part.name}" for part in lesson.parts} <= WORDS["en"].keys()
        assert f"lesson.{name}.title" in WORDS["en"]
        state = lessons.state(name)
        named = [*state["figures"]["columns"], state["chart"]["x"], state["chart"]["y"]]
        assert {each["name"] for each in named} <= WORDS["en"].keys()


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_that_never_began_is_fresh_and_names_its_columns(lessons: Lessons, name: str) -> None:
    state = lessons.state(name)
    assert (state["lesson"], state["state"], state["conclusion"], state["fault"]) == (name, "fresh", [], None)
    assert state["figures"]["columns"] and not state["figures"]["rows"]
    assert [(part["run"], part["state"], part["found"]) for part in state["parts"]] == [(None, "fresh", None)] * len(
        LESSONS[name].parts
    )
    json.dumps(state, allow_nan=False)


@pytest.mark.parametrize("name", LESSONS)
def test_a_start_queues_every_part_under_its_name_in_order(lessons: Lessons, name: str) -> None:
    lessons.start(name)
    state = lessons.state(name)
    assert state["state"] == "working"
    runs = [lessons.store.run(part["run"]) for part in state["parts"]]
    assert [run.id for run in runs] == sorted(run.id for run in runs)
    assert [(run.name, run.kind, run.state) for run in runs] == [
        (f"lesson/{name}/{part.name}", part.kind, "queued") for part in LESSONS[name].parts
    ]
    with pytest.raises(StoreError) as caught:
        lessons.start(name)
    assert caught.value.code == "lesson.under-way"


def test_stop_drops_what_waits_and_says_so_and_a_new_start_begins_anew(lessons: Lessons) -> None:
    lessons.start("why")
    first = lessons.state("why")["parts"][0]["run"]
    lessons.stop("why")
    state = lessons.state("why")
    assert (state["state"], state["parts"][0]["state"], state["fault"]["code"]) == ("failed", "stopped", "run.stopped")
    lessons.start("why")
    state = lessons.state("why")
    assert state["state"] == "working" and state["parts"][0]["run"] > first
    lessons.stop("why")
    lessons.stop("why")


def test_a_lesson_that_another_program_began_and_left_is_no_longer_working(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    Lessons(Session(store), store).start("why")
    store.close()
    again = Store(tmp_path / "home")
    state = Lessons(Session(again), again).state("why")
    again.close()
    assert (state["state"], state["parts"][0]["state"]) == ("failed", "interrupted")


def test_a_lesson_that_is_none_is_refused_by_name(lessons: Lessons) -> None:
    for ask in (lessons.start, lessons.stop, lessons.state):
        with pytest.raises(ConfigError) as caught:
            ask("whY")
        assert caught.value.code == "lesson.unknown" and "why" in caught.value.remedy


def test_numbers_stand_as_they_are_meant() -> None:
    asked: list[tuple[Any, str, str]] = [
        (1081344000, "bytes", "1.01 GiB"),
        (3.2e-7, "error", "3e-7"),
        (0.125, "error", "12.5 %"),
        (0.125, "share", "12 %"),
        (4.0, "ratio", "4.00 ×"),
        (12345, "count", "12,345"),
        (1e-3, "rate", "0.001"),
        (14.25, "seconds", "14.2 s"),
        (None, "number", "–"),
        (float("nan"), "number", "–"),
        (None, "error", "∞"),
    ]
    for value, unit, text in asked:
        assert number_text(value, unit) == text
    values = {"plan": "32 × 1"}
    assert told("lesson.why.conclusion.did-not-fit", values).startswith("32 × 1 did not fit")
