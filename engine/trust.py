"""What the person at the command line lets a model bring along. Nothing else can say so: no config, no page, no run.

And whether the page is the machine's own: only whoever sits at it may name a file that says how processes start.

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
_own_page = False


def trusted() -> Trust:
    """What was given; nothing before `trust`."""
    return _given


def trust(given: Trust) -> None:
    """Called by the command line alone, before anything is loaded."""
    global _given
    _given = given


def page_is_own() -> bool:
    """Whether the page of this process is for this machine alone; no before `trust_page`."""
    return _own_page


def trust_page(*, own: bool) -> None:
    """Called where the page is opened, before it is."""
    global _own_page
    _own_page = own
