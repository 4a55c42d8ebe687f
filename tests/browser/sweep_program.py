"""The program with sweeps that are made up: each look at one takes it a trial further, and nothing is trained.

python -m tests.browser.sweep_program --home DIR
"""

from __future__ import annotations

import sys

import engine
from gui import launch
from tests.gui.sweeps import FakeSweeps


def main(arguments: list[str]) -> None:
    engine.Sweeps = FakeSweeps  # type: ignore[misc, assignment]
    launch.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
