"""What can be wrong, and the words for it.

    BirikimError
    ├── ConfigError    what the user wrote is wrong; found before the first forward pass (exit status 2)
    ├── RunError       a run that had begun has failed (exit status 1)
    ├── StoreError     the home folder can't be used or written
    └── RunStopped     not a fault: leaves the training loop after Stop

An error is raised by its code; the English words of each code stand in `WORDING`, so that another
language replaces a table and no call. Values in braces are filled from the error's keywords.
"""

from __future__ import annotations

from typing import Any

from engine.words import ROOMS
from engine.words.wording import Wording

WORDING: dict[str, Wording] = {code: words for room in ROOMS for code, words in room.items()}


MOST_SAID = 1000
"""Characters of a value in a message."""

TERMS = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimizer state",
    "activations": "activations and what is needed for a moment",
}
"""What memory is taken by, in words."""


def reason_of(error: BaseException) -> str:
    """What a library says of its failure, in one line that a sentence can end with."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(". ")


class BirikimError(Exception):
    """A fault with a code, the place it is about, and the values its words need."""

    def __init__(self, code: str, *, field: str | None = None, **values: Any) -> None:
        self.code = code
        self.field = field
        self.values = {"field": field, **{name: _bounded(value) for name, value in values.items()}}
        super().__init__(self.line)

    @property
    def message(self) -> str:
        return WORDING[self.code].message.format(**self.values)

    @property
    def remedy(self) -> str:
        return WORDING[self.code].remedy.format(**self.values)

    @property
    def line(self) -> str:
        """All of it on one line, with the field's name."""
        return one_line(self.message, self.remedy, self.field)


def _bounded(value: Any) -> Any:
    """A text that someone sent comes back no longer than a message may be."""
    return f"{value[: MOST_SAID - 1]}…" if isinstance(value, str) and len(value) > MOST_SAID else value


class ConfigError(BirikimError):
    """A wrong config: key, type, value, model, file or column."""


class RunError(BirikimError):
    """A run that can't go on: out of memory, a loss that is not a number, a row that can't be read."""


class StoreError(BirikimError):
    """The home folder can't be opened or written."""


class RunStopped(BirikimError):
    """Raised inside the training loop when Stop takes effect."""


def one_line(message: str, remedy: str, field: str | None) -> str:
    """What is wrong and what to do, after the field's name where the message does not hold it."""
    place = f"{field}: " if field and field not in message else ""
    return " ".join(f"{place}{message} {remedy}".split())
