"""Commands on their way to the loop."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest

from engine.errors import RunStopped
from engine.session.control import PATIENCE, SLOW, Control


class Loop:
    """Walks through windows of `steps` micro-batches in a thread, gate by gate."""

    def __init__(self, control: Control, steps: int = 3, windows: int = 4) -> None:
        self.passed: list[tuple[int, int]] = []
        self.held = 0
        self.stopped = False
        self._control = control
        self._moved = threading.Condition()
        self._thread = threading.Thread(target=self._walk, args=(steps, windows))
        self._thread.start()

    def _walk(self, steps: int, windows: int) -> None:
        try:
            for window in range(1, windows + 1):
                for index in range(1, steps + 1):
                    self._control.gate(window, held=self._note_held, released=lambda: None)
                    with self._moved:
                        self.passed.append((window, index))
                        self._moved.notify_all()
        except RunStopped:
            self.stopped = True

    def _note_held(self) -> None:
        with self._moved:
            self.held += 1
            self._moved.notify_all()

    def wait_held(self, times: int) -> None:
        with self._moved:
            assert self._moved.wait_for(lambda: self.held >= times, timeout=10)

    def join(self) -> None:
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()


def test_pause_holds_before_the_next_micro_batch_and_resume_goes_on() -> None:
    control = Control()
    control.post("pause")
    loop = Loop(control)
    loop.wait_held(1)
    assert loop.passed == []
    control.post("resume")
    loop.join()
    assert len(loop.passed) == 12


def test_one_micro_batch_then_holds_again() -> None:
    control = Control()
    control.post("pause")
    loop = Loop(control)
    loop.wait_held(1)
    control.post("next-micro-batch")
    loop.wait_held(2)
    assert loop.passed == [(1, 1)]
    control.post("stop")
    loop.join()


def test_one_update_finishes_the_window_it_stands_in() -> None:
    control = Control()
    control.post("pause")
    loop = Loop(control)
    loop.wait_held(1)
    control.post("next-micro-batch")
    loop.wait_held(2)
    control.post("next-update")
    loop.wait_held(3)
    assert loop.passed == [(1, 1), (1, 2), (1, 3)]
    control.post("next-update")
    loop.wait_held(4)
    assert loop.passed[3:] == [(2, 1), (2, 2), (2, 3)]
    control.post("stop")
    loop.join()
    assert loop.stopped


def test_stop_wins_while_paused_and_before_the_loop_begins() -> None:
    control = Control()
    control.post("stop")
    with pytest.raises(RunStopped):
        control.gate(1, held=lambda: None, released=lambda: None)
    with pytest.raises(RunStopped):
        control.check()


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []
        self.resting = 0
        self.control = Control(clock=lambda: self.now, wait=self.wait)

    def wait(self, changed: threading.Condition, seconds: float) -> None:
        assert self.resting == 1
        self.waits.append(seconds)
        self.now += seconds

    @contextmanager
    def rest(self) -> Iterator[None]:
        self.resting += 1
        yield
        self.resting -= 1

    def pass_gate(self) -> float:
        def never() -> None:
            raise AssertionError("slow motion is no pause")

        self.control.gate(1, held=never, released=never, resting=self.rest)
        return self.now


def test_slow_motion_goes_on_by_itself_at_its_pace_whatever_a_micro_batch_takes() -> None:
    time = Time()
    time.control.post("slow-motion")
    assert time.control.stepping
    began = [time.pass_gate()]
    # micro-batches that take no time, a third of the pace, and more than the pace
    for seconds in (0.0, SLOW / 3, SLOW * 2):
        time.now += seconds
        began.append(time.pass_gate())
    paces = [later - earlier for earlier, later in pairwise(began)]
    assert paces == pytest.approx([SLOW, SLOW, SLOW * 2])
    # a second and what is left of one and a half, then what is left after a third of it
    assert time.waits == pytest.approx([PATIENCE, SLOW - PATIENCE, SLOW - SLOW / 3])


def test_slow_motion_after_a_run_waits_from_the_beginning_of_the_micro_batch_before() -> None:
    time = Time()
    time.pass_gate()
    time.now += 0.25
    time.control.post("slow-motion")
    assert time.pass_gate() == 100.0 + SLOW


def test_a_replay_is_done_once_at_the_gate_where_a_run_is_held_and_never_while_it_runs_on() -> None:
    control = Control()
    replayed: list[str] = []
    held = threading.Event()
    over = threading.Event()

    def walk() -> None:
        for _ in range(3):
            control.gate(1, held=held.set, released=lambda: None, replay=replay)
        over.set()

    def replay() -> None:
        replayed.append("held" if held.is_set() else "running")
        # asked for once more, and to go on, while it is done
        control.post("replay" if len(replayed) == 1 else "resume")

    control.post("replay")
    control.post("pause")
    thread = threading.Thread(target=walk)
    thread.start()
    assert held.wait(10) and replayed == []
    control.post("replay")
    assert over.wait(10)
    thread.join(10)
    assert replayed == ["held", "held"]


def test_a_replay_in_slow_motion_is_done_before_the_next_micro_batch() -> None:
    time = Time()
    time.control.post("slow-motion")
    time.pass_gate()
    time.control.post("replay")
    at: list[float] = []

    def replay() -> None:
        assert time.resting == 1
        at.append(time.now)

    time.control.gate(1, held=lambda: None, released=lambda: None, resting=time.rest, replay=replay)
    assert (at, time.now) == ([100.0], 100.0 + SLOW)


def test_a_stop_comes_before_a_replay() -> None:
    control = Control()
    for command in ("pause", "replay", "stop"):
        control.post(command)  # type: ignore[arg-type]
    with pytest.raises(RunStopped):
        control.gate(1, held=lambda: None, released=lambda: None, replay=lambda: pytest.fail("it was stopped"))


def test_a_command_ends_the_wait_of_slow_motion() -> None:
    control = Control(clock=lambda: 100.0)
    control.post("slow-motion")
    loop = Loop(control)
    # time stands still: the second micro-batch never begins by itself
    control.post("pause")
    loop.wait_held(1)
    assert len(loop.passed) <= 1
    control.post("slow-motion")
    control.post("resume")
    loop.join()
    assert len(loop.passed) == 12


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ([], []),
        (["pause", "next-micro-batch", "pause"], ["pause"]),
        (["pause", "resume"], []),
        (["slow-motion"], ["slow-motion"]),
        (["pause", "stop"], ["stop"]),
    ],
)
def test_who_listens_later_is_told_what_the_commands_before_have_come_to(posted: list[Any], told: list[Any]) -> None:
    control = Control()
    heard: list[Any] = []
    for command in posted:
        control.post(command)
    control.relay(heard.append)
    assert heard == told
    control.post("next-update")
    assert heard == [*told, "next-update"]
