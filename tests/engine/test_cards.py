"""The table of common cards."""

from __future__ import annotations

import re

from engine import CARDS

GIB = 2**30


def test_each_card_has_an_id_of_its_own_and_whole_gib_of_memory() -> None:
    assert len({card.id for card in CARDS}) == len({card.name for card in CARDS}) == len(CARDS) >= 30
    for card in CARDS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", card.id)
        assert card.memory_bytes % GIB == 0 and 4 * GIB <= card.memory_bytes <= 512 * GIB


def test_cards_are_known_by_the_name_and_the_memory_that_they_are_sold_with() -> None:
    sold = {card.id: (card.name, card.memory_bytes // GIB) for card in CARDS}
    assert sold["rtx-4090"] == ("NVIDIA GeForce RTX 4090", 24)
    assert sold["h100"] == ("NVIDIA H100", 80)
    assert sold["t4"] == ("NVIDIA T4", 16)
