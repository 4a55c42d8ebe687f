"""Colours are told apart by eyes that see fewer of them, and stand out from the paper, in both themes."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from gui.serving import ASSETS

CATEGORIES = ("weights", "gradients", "optimizer", "activations", "other")
Colour = tuple[float, float, float]

# G. M. Machado et al., A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009: severity 1
EYES: dict[str, tuple[Colour, Colour, Colour]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
APART = 11.0
"""Of CIE 1976 colour difference; about 2 is just noticeable."""


def tokens(theme: str) -> dict[str, str]:
    text = (ASSETS / "page.css").read_text(encoding="utf-8")
    start = text.index(':root[data-theme="dark"]') if theme == "dark" else 0
    return dict(re.findall(r"--([a-z-]+): (#[\da-f]{6});", text[start : text.index("}", start)]))


def light(colour: str) -> Colour:
    """Linear red, green and blue."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def seen(colour: Colour, eye: str) -> Colour:
    """CIE L*a*b* of what that eye makes of it."""
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, colour, strict=True)))) for row in EYES[eye]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(one: Colour, other: Colour) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5)


def half(colour: str, paper: str) -> str:
    """As the page mixes what is only predicted."""
    parts = [(int(colour[place : place + 2], 16) + int(paper[place : place + 2], 16)) // 2 for place in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in parts)


@pytest.mark.parametrize("predicted", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_no_two_categories_look_alike(eye: str, theme: str, predicted: bool) -> None:
    found = tokens(theme)
    colours = {name: half(found[name], found["paper"]) if predicted else found[name] for name in CATEGORIES}
    for one, other in combinations(CATEGORIES, 2):
        apart = difference(seen(light(colours[one]), eye), seen(light(colours[other]), eye))
        assert apart > APART, (one, other, apart)


def test_red_and_green_of_one_lightness_look_alike_without_green() -> None:
    """The measure itself: what is confused by a real eye is close here."""
    assert difference(seen(light("#cc6655"), "no green"), seen(light("#8d8552"), "no green")) < APART
    assert difference(seen(light("#cc6655"), "all colours"), seen(light("#8d8552"), "all colours")) > 3 * APART


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it, from relative luminance."""
    bright, dark = sorted(
        (
            sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), light(colour), strict=True)) + 0.05
            for colour in (one, other)
        ),
        reverse=True,
    )
    return bright / dark


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_lines_and_edges_stand_out_from_the_paper(theme: str) -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    found = tokens(theme)
    for paper in ("paper", "paper-soft", "field"):
        for words in ("ink", "ink-soft", "training", "targets", "good", "bad", "hold"):
            assert contrast(found[words], found[paper]) >= 4.5, (words, paper)
    lines = ("training", "evaluation", "examples", "targets", "padding", "resident", "allocated", "reserved")
    for line in (*lines, "device-used", "capacity", "way-ours", "way-means", "way-stock", "edge"):
        assert contrast(found[line], found["paper"]) >= 3, line
