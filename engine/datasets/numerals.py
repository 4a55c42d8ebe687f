"""Numbers in words, in English and Turkish, and their digits: a short text that is worked out of a longer one."""

from __future__ import annotations

import random

ROWS = 4200

ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
ENGLISH_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
TURKISH = ("sıfır", "bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz")
TURKISH_TENS = ("", "on", "yirmi", "otuz", "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan")


def numerals(seed: int) -> list[tuple[str, str]]:
    """`ROWS` different (words, digits) pairs of one to six digits, as many of each language."""
    draw = random.Random(seed)
    found: dict[str, str] = {}
    while len(found) < ROWS:
        number = draw.randrange(10 ** draw.randint(1, 6))
        words = (english, turkish)[len(found) % 2](number)
        found.setdefault(words, str(number))
    return list(found.items())


def english(number: int) -> str:
    """`number` below a million in words: "two thousand one hundred and forty-two"."""
    if number >= 1000:
        thousands, rest = divmod(number, 1000)
        joint = " and " if 0 < rest < 100 else " "
        return f"{english(thousands)} thousand" + (joint + english(rest) if rest else "")
    if number >= 100:
        hundreds, rest = divmod(number, 100)
        return f"{ENGLISH[hundreds]} hundred" + (f" and {english(rest)}" if rest else "")
    if number >= 20:
        tens, rest = divmod(number, 10)
        return ENGLISH_TENS[tens] + (f"-{ENGLISH[rest]}" if rest else "")
    return ENGLISH[number]


def turkish(number: int) -> str:
    """`number` below a million in words: "iki bin yüz kırk iki"; before "bin" and "yüz" a one is not said."""
    words: list[str] = []
    for unit, name in ((1000, "bin"), (100, "yüz")):
        count, number = divmod(number, unit)
        if count:
            words += [name] if count == 1 else [turkish(count), name]
    tens, ones = divmod(number, 10)
    words += [TURKISH_TENS[tens]] if tens else []
    words += [TURKISH[ones]] if ones or not words else []
    return " ".join(words)
