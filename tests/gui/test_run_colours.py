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


def test_each_of_twelve_runs_has_a_sign_of_its_own_that_usual_fonts_hold() -> None:
    text = (ASSETS / "compare-looks.js").read_text(encoding="utf-8")
    symbols = re.findall(r'"([\w-]+)"', re.search(r"SYMBOLS = \[(.*?)\]", text)[1])  # type: ignore[index]
    signs = dict(re.findall(r'"?([\w-]+)"?: "(.)"', re.search(r"SIGNS = {(.*?)}", text)[1]))  # type: ignore[index]
    assert list(signs) == symbols
    assert len(set(signs.values())) == 12
    # geometric shapes, stars, dingbats, and the pentagon and hexagon that DejaVu and Segoe UI Symbol hold as well
    assert all(
        0x25A0 <= ord(sign) <= 0x25FF or 0x2600 <= ord(sign) <= 0x27BF or sign in "⬟⬢" for sign in signs.values()
    )
    # what phones draw as a coloured picture is no sign in a run's colour
    assert not set(signs.values()) & set("▶◀◼◻⭐✖✔")
