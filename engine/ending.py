"""Ctrl-C and SIGTERM as a note to the main thread."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def end_signals(*, heeded: int) -> Iterator[list[int]]:
    """The signals that arrive meanwhile; after `heeded` of them the next one ends the program at once.

    The handler only takes a note, since whatever it interrupts may hold a lock: look at the list now and then.
    """
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) >= heeded:
            for each in before:
                signal.signal(each, signal.SIG_DFL)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, hear)
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
