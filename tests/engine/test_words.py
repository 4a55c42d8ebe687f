"""The table of words, put together from its rooms."""

from engine.errors import WORDING
from engine.words import config, homes, inputs, memory, proofs, runs, samples


def test_each_code_stands_in_one_room() -> None:
    rooms = [room.WORDS for room in (config, homes, inputs, memory, proofs, runs, samples)]
    assert sum(map(len, rooms)) == len(WORDING)
