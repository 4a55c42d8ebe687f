"""The table of words, put together from its rooms."""

from engine.errors import WORDING
from engine.words import ROOMS


def test_each_code_stands_in_one_room() -> None:
    assert sum(map(len, ROOMS)) == len(WORDING)
