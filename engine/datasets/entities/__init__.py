"""Sentences in English and Turkish, made by us, whose persons, places, organisations and dates are tagged.

A name alone does not tell: each can be a person's, a place's and an organisation's ("Austin called from Jordan"), the
names of months are people's too, and numbers count things as well as days. What stands around it decides.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.datasets.entities.english import ENGLISH
from engine.datasets.entities.language import Language
from engine.datasets.entities.turkish import TURKISH

LANGUAGES = (ENGLISH, TURKISH)
KINDS = ("DATE", "LOC", "ORG", "PER")
TAGS = (*(f"{begins}-{kind}" for begins in "BI" for kind in KINDS), "O")
"""B- at an entity's first word, I- inside of it, O elsewhere."""

KIND_OF = {"DAY": "DATE", "SPAN": "DATE"}
"""The kind of a shape where it isn't called alike: a day, and a month or a year."""

ROWS = 3200
MOST_SENTENCES = 4

Tagged = list[tuple[str, str]]
"""Words and their tags."""


def entities(seed: int) -> list[Tagged]:
    """`ROWS` different rows of one to four sentences, as many of each language."""
    draw = random.Random(seed)
    found: dict[tuple[tuple[str, str], ...], None] = {}
    while len(found) < ROWS:
        language = LANGUAGES[len(found) % len(LANGUAGES)]
        sentences = draw.choices(range(1, MOST_SENTENCES + 1), (50, 25, 15, 10))[0]
        patterns = draw.sample(language.sentences, sentences)
        found[tuple(pair for pattern in patterns for pair in tagged(pattern, language, draw))] = None
    return [list(row) for row in found]


def tagged(pattern: str, language: Language, draw: random.Random) -> Tagged:
    """A sentence: each word of `pattern` that names a shape becomes an entity.

    `PER` is a person; `PER+case` a person whose last word is inflected; `N` is a number that is no date. No name
    stands twice.
    """
    names = iter(draw.sample(language.names, len(language.names)))
    pairs: Tagged = []
    for word in pattern.split():
        shape, _, case = word.partition("+")
        if shape == "N":
            pairs.append((str(draw.choice(language.numbers)), "O"))
        elif shape in language.entities:
            words = entity(shape, language, names, draw)
            if case:
                words[-1] = language.inflected(words[-1], case)
            kind = KIND_OF.get(shape, shape)
            pairs += [(each, f"{'I' if place else 'B'}-{kind}") for place, each in enumerate(words)]
        else:
            pairs.append((word, "O"))
    return pairs


def entity(shape: str, language: Language, names: Iterator[str], draw: random.Random) -> list[str]:
    """The words of one entity."""
    pattern = draw.choice(language.entities[shape])
    values = {
        "name": next(names),
        "first": draw.choice(language.first_names),
        "last": draw.choice((*language.last_names, next(names))),
        "weekday": draw.choice(language.weekdays),
        "day": draw.randint(1, 31),
        "month": draw.choice(language.months),
        "year": draw.randint(1985, 2029),
    }
    return pattern.format(**values).split()
