"""What the person at the command line lets a model bring along. Nothing else can say so: no config, no page, no run.

It holds for this process from its start to its end, so a run that is resumed needs the flags again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trust:
    """`remote_code`: Python files beside a model's weights are run. `pickle`: weights that are no safetensors are read,
    which may run code that lies in them."""

    remote_code: bool = False
    pickle: bool = False


_given = Trust()


def trusted() -> Trust:
    """What was given; nothing before `trust`."""
    return _given


def trust(given: Trust) -> None:
    """Called by the command line alone, before anything is loaded."""
    global _given
    _given = given
