"""Claims: one of many gets what they all want, and what the dead had goes on to the next."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

from engine.sweep import claims
from engine.sweep.claims import Claims


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = create_engine(f"sqlite:///{tmp_path / 'claims.sqlite'}", connect_args={"timeout": 30})
    claims.lay_out(made)
    claims.lay_out(made)
    yield made
    made.dispose()


def program(engine: Engine, owner: str, alive: set[str], study: str = "s", place: str = "here") -> Claims:
    alive.add(owner)
    return Claims(engine, study, owner=owner, place=place, lives=lambda token: token in alive)


def test_of_many_that_claim_a_task_at_once_one_has_it(engine: Engine) -> None:
    alive: set[str] = set()
    programs = [program(engine, f"{number}", alive) for number in range(6)]
    workers = [each.enter() for each in programs]
    got: dict[int, list[str]] = {task: [] for task in range(20)}
    together = threading.Barrier(len(programs))

    def work(each: Claims, worker: str) -> None:
        for task in range(20):
            together.wait(30)
            if each.claim(worker, task):
                got[task].append(worker)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(programs, workers, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(who) == 1 for who in got.values())
    assert set(programs[0].held()) == set(range(20))


def test_the_claim_of_a_worker_that_left_or_died_is_free_and_that_of_a_living_one_is_not(engine: Engine) -> None:
    alive: set[str] = set()
    one, other = program(engine, "one", alive), program(engine, "other", alive)
    first, second = one.enter(), other.enter()
    assert one.claim(first, 1) and one.claim(first, 2)
    assert not other.claim(second, 1)
    one.leave(first)
    assert other.claim(second, 1)
    third = one.enter()
    assert not one.claim(third, 1) and one.claim(third, 2)
    alive.discard("one")
    assert other.claim(second, 2)
    assert set(other.held()) == {1, 2}
    assert other.workers() == [second]
    other.clear_away()
    assert other.workers() == [second]


def test_studies_do_not_see_each_others_claims(engine: Engine) -> None:
    alive: set[str] = set()
    one, other = program(engine, "one", alive, "a"), program(engine, "one", alive, "b")
    first, second = one.enter(), other.enter()
    assert one.claim(first, 0) and other.claim(second, 0)
    assert one.workers() == [first] and other.workers() == [second]


def test_a_stop_reaches_the_workers_of_every_program_and_none_that_begins_later(engine: Engine) -> None:
    alive: set[str] = set()
    one, other = program(engine, "one", alive), program(engine, "other", alive)
    first, second = one.enter(), other.enter()
    assert one.beat(first) and other.beat(second)
    other.stop()
    assert not one.beat(first) and not other.beat(second)
    assert one.beat(one.enter())


def test_a_worker_on_another_machine_lives_as_long_as_it_gives_signs_of_life(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(claims.time, "monotonic", lambda: now)
    here, there = program(engine, "one", set(), place="here"), program(engine, "two", set(), place="there")
    worker, mine = there.enter(), here.enter()
    assert there.claim(worker, 5)
    assert not here.claim(mine, 5)
    now += claims.GRACE - 1
    assert there.beat(worker)
    assert not here.claim(mine, 5)
    now += claims.GRACE - 1
    assert not here.claim(mine, 5)
    now += 2
    # a minute without a sign
    assert here.claim(mine, 5)
    assert there.workers() == [worker, mine] or there.workers() == [mine, worker]
