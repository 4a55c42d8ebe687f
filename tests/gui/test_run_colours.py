"""The colours of runs that are compared stand out from the paper; beside the colour a mark tells a run from others."""

from __future__ import annotations

import re

import pytest

from gui.serving import ASSETS
from tests.gui.test_colours import EYES, contrast, difference, light, seen, tokens

APART = 5.0
"""Of CIE 1976 colour difference. With a mark of its own a run needs no more; about 2 is just noticeable."""


def colours(theme: str) -> list[str]:
    text = (ASSETS / "compare.css").read_text(encoding="utf-8")
    start = text.index(':root[data-theme="dark"]') if theme == "dark" else 0
    return re.findall(r"--run-\d: (#[\da-f]{6});", text[start : text.index("}", start)])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_eight_colours_stand_out_and_no_two_look_alike(theme: str) -> None:
    found = colours(theme)
    assert len(found) == 8
    for colour in found:
        assert contrast(colour, tokens(theme)["paper"]) >= 3, colour
    for eye in EYES:
        each = [seen(light(colour), eye) for colour in found]
        for place, one in enumerate(each):
            for other in range(place):
                assert difference(one, each[other]) > APART, (eye, found[place], found[other])
