"""The Learn tab: what is taught stands in both languages in the same form, and what the program answers of a lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil, prod
from pathlib import Path
from typing import Any

import pytest

from engine import LESSONS, Lessons, Store, counts_by_task, heads_table
from engine.events import StateChanged
from gui.learn import RIGHT, for_page, server_functions
from gui.text.english_prose import PROSE as ENGLISH
from gui.text.turkish_prose import PROSE as TURKISH
from tests.engine.store_runs import open_store, running
from tests.gui.asking import Ask, asking

WORK = "lesson/same-update/proof"


class Session:
    """Queues nothing, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def prove(self, config: Any, request: Any, name: str) -> int:
        self.asked.append(name)
        return 1

    def command(self, run: int, name: str) -> None:
        self.asked.append(f"{name} {run}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def ask(session: Session, store: Store) -> Ask:
    lessons = Lessons(session, store)  # type: ignore[arg-type]
    return asking(server_functions(lessons))


def works(store: Store, state: Any = "queued", **told: Any) -> int:
    """A start of the lesson whose only part has come to `state`."""
    config = dict(LESSONS["same-update"].parts[0].config)
    run = store.create_run(config, kind="proof", name=WORK, request={})
    if state != "queued":
        store.write(StateChanged(run=run, state=state, **told))
    store.flush()
    return run


# ---- what is taught ----


def test_every_lesson_of_the_engine_is_on_the_page_in_its_order() -> None:
    assert [lesson["name"] for lesson in for_page()] == list(LESSONS)


@pytest.mark.parametrize("prose", [ENGLISH, TURKISH], ids=["english", "turkish"])
def test_every_lesson_has_its_text_its_question_and_an_explanation_of_each_answer(prose: dict[str, str]) -> None:
    expected = set()
    for name, (answers, right) in RIGHT.items():
        assert 1 <= right <= answers
        parts = ["text", "question", "reading"]
        parts += [f"{part}.{number}" for part in ("answer", "because") for number in range(1, answers + 1)]
        expected |= {f"lesson.{name}.{part}" for part in parts}
    assert prose.keys() == expected


def form(text: str) -> list[Any]:
    """What a text is made of: of each paragraph its lines and their marks."""
    marks = ([re.sub(r"[^`*]", "", re.sub(r"`[^`]*`", "``", line)) for line in part.split("\n")]
             for part in text.split("\n\n"))  # fmt: skip
    return [(len(lines), sum(line.count("`") for line in lines)) for lines in marks]


def test_both_languages_have_the_same_paragraphs_lists_and_formulas() -> None:
    for name, text in ENGLISH.items():
        assert form(text) == form(TURKISH[name]), name


@pytest.mark.parametrize("prose", [ENGLISH, TURKISH], ids=["english", "turkish"])
def test_marks_of_code_and_stress_are_closed_and_a_text_is_read_in_a_few_minutes(prose: dict[str, str]) -> None:
    for name, text in prose.items():
        outside = re.sub(r"`[^`]*`", "", text)
        assert "`" not in outside and outside.count("*") % 2 == 0, name
        if name.endswith(".text"):
            assert 100 <= len(text.split()) <= 200, name


def test_the_numbers_of_the_prose_are_those_that_one_reckons() -> None:
    weighted, means = (3 * 2.0 + 9 * 1.0) / 12, (2.0 + 1.0) / 2
    trap = ENGLISH["lesson.scaling-trap.text"]
    assert f"/ 12 = {weighted:.2f}" in trap and f"/ 2 = {means:.2f}" in trap
    stairs = [1e-3 * left / 6 for left in range(6, 0, -1)]
    assert [f"{1000 * stair:.3g}" for stair in stairs] == ["1", "0.833", "0.667", "0.5", "0.333", "0.167"]
    assert "1e-3, 8.33e-4, 6.67e-4, 5e-4, 3.33e-4, 1.67e-4" in ENGLISH["lesson.tail.text"]
    micro_batches = ceil(42 / 4)
    windows = ceil(micro_batches / 4)
    assert (micro_batches, windows) == (11, 3)
    totals = [int(re.match(r"\d+", ENGLISH[f"lesson.tail.answer.{number}"])[0]) for number in range(1, 5)]  # type: ignore[index]
    assert totals == [6, ceil(3 * 42 / 16), 3 * windows, 3 * micro_batches]
    assert f"that is {16 * 8} GB" in ENGLISH["lesson.memory.text"]
    rows = [[5, 6, 7, 8, 9], [5, 6, -100, -100, -100]]
    counts = {sum(map(len, rows)), sum(label != -100 for row in rows for label in row)}
    counts |= {sum(label != -100 for row in rows for label in row[1:]), len(rows)}
    answers = [ENGLISH[f"lesson.targets.answer.{number}"] for number in range(1, 5)]
    assert [int(re.match(r"\d+", answer)[0]) for answer in answers] == [10, 7, 5, 2] == sorted(counts, reverse=True)  # type: ignore[index]


def plan(lesson: str, part: str) -> tuple[int, int]:
    [training] = [each.config["training"] for each in LESSONS[lesson].parts if each.name == part]
    return training["per_device_train_batch_size"], training["gradient_accumulation_steps"]


def test_the_questions_ask_what_the_experiments_do() -> None:
    assert plan("tail", "steps-4") == (4, 4)
    assert "micro-batch 4, 4 accumulation steps" in ENGLISH["lesson.tail.question"]
    assert [prod(plan("learning-rate", part)) for part in ("small", "none")] == [8, 64]
    assert "grows from 8 to 64 rows" in ENGLISH["lesson.learning-rate.question"]
    assert plan("stock-trainer", "classes")[1] == 4
    assert "with 4 accumulation steps" in ENGLISH["lesson.stock-trainer.question"]
    slowest = [each.name for each in LESSONS["not-faster"].parts][-1]
    assert plan("not-faster", slowest) == (1, 32)


def test_what_is_said_of_the_stock_trainer_is_what_the_table_of_heads_says() -> None:
    said, counts = ENGLISH["lesson.stock-trainer.text"], counts_by_task(heads_table())
    words = {
        "text-generation": "{exact} of {heads} for causal",
        "fill-mask": "{exact} of {heads} for masked",
        "text2text-generation": "{exact} of {heads} sequence to sequence",
        "text-classification": "{exact} of {heads} for classification",
        "token-classification": "none of {heads} for tokens",
    }
    for task, sentence in words.items():
        count = counts[task]
        assert sentence.format(exact=count["trainer_exact"], heads=count["built"]) in said, (task, count)


# ---- what is answered ----


def test_a_lesson_that_was_never_run_is_fresh_and_has_its_parts(ask: Ask) -> None:
    state = ask("lesson_state", {"lesson": "same-update"})
    assert (state["state"], state["ahead"], state["fault"]) == ("fresh", False, None)
    assert [(part["name"], part["run"]) for part in state["parts"]] == [("proof", None)]


def test_start_and_stop_reach_the_session(ask: Ask, session: Session, store: Store) -> None:
    assert ask("lesson_start", {"lesson": "same-update"}) == {}
    run = works(store)
    assert ask("lesson_stop", {"lesson": "same-update"}) == {}
    assert session.asked == [WORK, f"stop {run}"]
    assert ask("lesson_start", {"lesson": "same-update"})["fault"]["code"] == "lesson.under-way"


def test_a_lesson_that_waits_for_another_work_says_so(ask: Ask, store: Store) -> None:
    other = running(store)
    own = works(store)
    assert ask("lesson_state", {"lesson": "same-update"})["ahead"] is True
    store.write(StateChanged(run=other, state="finished"))
    store.write(StateChanged(run=own, state="running", activity="proving"))
    store.flush()
    assert ask("lesson_state", {"lesson": "same-update"})["ahead"] is False


def test_a_lesson_that_broke_off_says_why_in_words(ask: Ask, store: Store) -> None:
    works(store, "failed", code="config.unknown-model", values={"name": "x"})
    state = ask("lesson_state", {"lesson": "same-update"})
    assert state["state"] == "failed"
    assert state["fault"]["part"] == "proof" and state["fault"]["code"] == "config.unknown-model"


@pytest.mark.parametrize(
    "argument", [None, [], "x", {"lesson": 3}, {"lesson": "<b>"}, {"lesson": "x" * 10_000}, {"lesson": ["why"]}]
)
@pytest.mark.parametrize("name", ["lesson_state", "lesson_start", "lesson_stop"])
def test_what_is_no_lesson_is_refused_in_words(name: str, argument: Any, ask: Ask, session: Session) -> None:
    fault = ask(name, argument)["fault"]
    assert fault["code"] == "lesson.unknown" and fault["message"]
    assert not session.asked
