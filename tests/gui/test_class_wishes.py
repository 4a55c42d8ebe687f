"""Students' experiments: what is granted, in which order, and that the teacher's runs come first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import ASIDE, RunConfig, Store, model_card
from engine.events import StateChanged
from gui.classroom.preset import MODELS, Refused, Wish
from gui.classroom.wishes import KEPT, MOST_WAITING, Wishes
from tests.engine.store_runs import open_store

WISH: dict[str, Any] = {
    "name": "Ada", "model": "tiny-llama", "micro_batch": 4, "accumulation_steps": 4, "updates": 20,
    "learning_rate": 1e-3, "normalization": "exact",
}  # fmt: skip

HERE = "10.0.0.2"


class FakeSession:
    """Queues as a session does, and runs nothing by itself."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def submit(self, config: RunConfig, name: str = "") -> int:
        return self.store.create_run(config.to_dict(), name=name)

    def command(self, run: int, command: str) -> None:
        assert command == "stop"
        self.enter(run, "stopped")

    def enter(self, run: int, state: Any) -> None:
        self.store.write(StateChanged(run=run, state=state))
        self.store.flush()


class Room:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.session = FakeSession(store)
        self.wishes = Wishes(self.session, store)  # type: ignore[arg-type]
        self.wishes.allowed = True

    def states(self) -> list[str]:
        """Of all experiments, the oldest first."""
        return [each["state"] for each in reversed(self.wishes.all())]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with open_store(tmp_path) as store:
        yield Room(store)


def refused(asked: Any) -> str:
    with pytest.raises(Refused) as caught:
        Wish.of(asked)
    return caught.value.name


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"micro_batch": 0}, "micro_batch"),
        ({"micro_batch": 17}, "micro_batch"),
        ({"micro_batch": True}, "micro_batch"),
        ({"micro_batch": 4.0}, "micro_batch"),
        ({"micro_batch": "4"}, "micro_batch"),
        ({"accumulation_steps": 33}, "accumulation_steps"),
        ({"micro_batch": 16, "accumulation_steps": 5}, "rows"),  # 80 rows
        ({"updates": 41}, "updates"),
        ({"updates": -1}, "updates"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"learning_rate": float("inf")}, "learning_rate"),
        ({"learning_rate": 10**400}, "learning_rate"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"learning_rate": True}, "learning_rate"),
        ({"model": "minilm"}, "form"),
        ({"model": "/etc/passwd"}, "form"),
        ({"model": ["tiny-llama"]}, "form"),
        ({"normalization": "own.py:loss"}, "form"),
        ({"normalization": ["exact"]}, "form"),
        ({"training": {"output_dir": "/"}}, "form"),
        ({"data": {"path": "/etc/passwd"}}, "form"),
        ({"name": ""}, "name"),
        ({"name": " \n "}, "name"),
        ({"name": "a" * 25}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": 7}, "name"),
    ],
)
def test_what_is_not_within_the_bounds_is_refused_by_name(change: dict[str, Any], name: str) -> None:
    assert refused({**WISH, **change}) == f"class.refused.{name}"


@pytest.mark.parametrize("asked", [None, [], "x", 1, {}])
def test_what_is_no_wish_is_refused(asked: Any) -> None:
    assert refused(asked).startswith("class.refused.")


@pytest.mark.parametrize("model", MODELS)
def test_every_model_that_is_offered_makes_a_config_of_few_parameters(model: str) -> None:
    config = Wish.of({**WISH, "model": model}).config()
    assert (config.model, config.micro_batch, config.accumulation_steps) == (model, 4, 4)
    assert (config.loss, config.trainer, config.data.path) == (None, None, None)
    assert model_card(model, config.task)["parameters"] <= 5_000_000


def test_experiments_run_one_after_another_under_the_student_s_name(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    room.wishes.add({**WISH, "name": "Alan"}, "b", HERE)
    room.wishes.go_on()
    room.wishes.go_on()
    assert room.states() == ["running", "waiting"]
    [run] = room.store.runs()
    assert run.name == f"{ASIDE}Ada"
    room.session.enter(run.id, "finished")
    room.wishes.go_on()
    assert room.states() == ["finished", "running"]
    assert room.store.runs()[0].name == f"{ASIDE}Alan"


def test_the_teacher_s_run_comes_first_and_what_gave_way_begins_anew(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    room.wishes.go_on()
    [given_way] = room.store.runs()
    room.session.enter(given_way.id, "running")
    teachers = room.store.create_run({})
    room.wishes.go_on()
    assert room.store.run(given_way.id).state == "stopped"
    room.wishes.go_on()
    room.wishes.go_on()
    assert room.states() == ["waiting"]
    current = room.store.current_run()
    assert current is not None
    assert current.id == teachers
    room.session.enter(teachers, "finished")
    room.wishes.go_on()
    assert room.states() == ["running"]
    assert len(room.store.runs()) == 3


def test_a_head_has_one_at_a_time_and_the_queue_has_an_end(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    with pytest.raises(Refused, match="one"):
        room.wishes.add(WISH, "a", HERE)
    for number in range(MOST_WAITING - 1):
        room.wishes.add(WISH, f"head {number}", HERE)
    with pytest.raises(Refused, match="full"):
        room.wishes.add(WISH, "another", HERE)


def test_what_is_not_allowed_is_neither_queued_nor_kept_going(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    room.wishes.add(WISH, "b", HERE)
    room.wishes.go_on()
    room.wishes.close()
    with pytest.raises(Refused, match="closed"):
        room.wishes.add(WISH, "c", HERE)
    room.wishes.go_on()
    assert room.states() == ["stopped", "stopped"]
    assert [run.state for run in room.store.runs()] == ["stopped"]


def test_the_teacher_stops_one_experiment_and_no_other(room: Room) -> None:
    for head in "abc":
        room.wishes.add(WISH, head, HERE)
    room.wishes.go_on()
    room.wishes.stop(2)
    assert room.states() == ["running", "stopped", "waiting"]
    room.wishes.stop(1)
    room.wishes.go_on()
    assert room.states() == ["stopped", "stopped", "running"]


def test_only_the_figures_of_an_experiment_are_kept(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    room.wishes.go_on()
    [run] = room.store.runs()
    folder = room.store.home / "runs" / str(run.id)
    (folder / "model").mkdir(parents=True)
    room.session.enter(run.id, "finished")
    room.wishes.go_on()
    assert not folder.exists()
    assert room.store.run(run.id).state == "finished"


def test_a_head_hears_of_its_own_last_experiments_and_how_many_are_before_it(room: Room) -> None:
    for _ in range(KEPT + 2):
        room.wishes.add(WISH, "a", HERE)
        room.wishes.stop(room.wishes.all()[0]["number"])
    room.wishes.add(WISH, "b", HERE)
    room.wishes.add(WISH, "a", HERE)
    own = room.wishes.by_head()["a"]
    assert len(own) == KEPT
    assert (own[-1]["state"], own[-1]["ahead"]) == ("waiting", 1)
    assert room.wishes.by_head()["b"][0]["ahead"] == 0


def test_who_passes_for_many_heads_does_not_keep_others_waiting(room: Room) -> None:
    for number in range(MOST_WAITING):
        room.wishes.add(WISH, f"head {number}", "10.0.0.9")
    room.wishes.go_on()
    room.wishes.add(WISH, "another", "10.0.0.3")
    assert room.wishes.by_head()["another"][0]["ahead"] == 1  # only what runs already
    assert room.wishes.by_head()[f"head {MOST_WAITING - 1}"][0]["state"] == "stopped"
    with pytest.raises(Refused, match="full"):
        room.wishes.add(WISH, "one more head", "10.0.0.9")
    room.session.enter(room.store.runs()[0].id, "finished")
    room.wishes.go_on()
    assert room.wishes.by_head()["another"][0]["state"] == "running"


def test_what_a_head_asks_for_after_its_last_has_ended_is_its_first_again(room: Room) -> None:
    room.wishes.add(WISH, "a", HERE)
    room.wishes.stop(1)
    room.wishes.add(WISH, "a", HERE)
    room.wishes.add(WISH, "b", "10.0.0.3")
    assert room.wishes.by_head()["b"][0]["ahead"] == 1
