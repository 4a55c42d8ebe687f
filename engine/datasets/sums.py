"""Arithmetic of our own making: text whose next token can be worked out."""

from __future__ import annotations

import random

ROWS = 4200


def sums(seed: int) -> list[str]:
    """`ROWS` different lines such as `17 + 25 = 42`, with one to four digits and two or three numbers."""
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < ROWS:
        found[line(draw)] = None
    return list(found)


def line(draw: random.Random) -> str:
    digits = draw.choice((1, 2, 2, 3, 4))
    a, b, c = (draw.randrange(10**digits) for _ in range(3))
    kind = draw.randrange(4)
    if kind == 0:
        return f"{a} + {b} = {a + b}"
    if kind == 1:
        return f"{a} - {b} = {a - b}"
    if kind == 2:
        return f"{a} + {b} + {c} = {a + b + c}"
    b %= 10
    return f"{a} × {b} = {a * b}"
