"""Commands on their way to the loop."""

import threading

import pytest

from engine.errors import RunStopped
from engine.session.control import Control


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
