"""Short reviews in English and Turkish, made by us: which sentiment does the whole of it carry?

The words alone do not tell. Half of the rows turn on their order: negation ("not bad"), contrast ("not dull but
lively"), concession (the main clause decides), expectation, comparison. In a long review several aspects are
judged at random, and the last sentence decides.
"""

from __future__ import annotations

import random

from engine.datasets.sentiment.english import ENGLISH
from engine.datasets.sentiment.language import Forms, Language
from engine.datasets.sentiment.turkish import TURKISH

LABELS = ("negative", "positive")
LANGUAGES = (ENGLISH, TURKISH)
ROWS = 3200
LEAST_WORDS, MOST_WORDS = 3, 80

# How often each construction carries the sentiment of a row.
CONSTRUCTIONS = {
    "plain": 54,
    "negation": 12,
    "contrast": 12,
    "concession": 12,
    "expectation": 8,
    "comparison": 4,
    "verdict": 4,
    "short": 2,
}


# In a review that judges several aspects, and in the sentence that sums it up.
JUDGEMENTS = ("plain", "negation", "contrast")
VERDICTS = ("plain", "negation", "contrast", "comparison", "verdict")


def sentiment(seed: int) -> list[tuple[str, int]]:
    """`ROWS` different (text, label) pairs, as many of each language and label; label 1 is positive."""
    draw = random.Random(seed)
    found: dict[str, int] = {}
    while len(found) < ROWS:
        kind = len(found) % (len(LANGUAGES) * len(LABELS))
        label = kind % len(LABELS)
        text = Review(LANGUAGES[kind // len(LABELS)], draw).text(label)
        if LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
            found.setdefault(text, label)
    return list(found.items())


class Review:
    """Writes one review about one thing."""

    def __init__(self, language: Language, draw: random.Random) -> None:
        self.language = language
        self.draw = draw
        domain = draw.choice(language.domains)
        self.noun = domain.noun
        self.facts = draw.sample(domain.fillers, len(domain.fillers))
        self.aspects = draw.sample(domain.aspects, len(domain.aspects))

    def text(self, label: int) -> str:
        """A lone sentence, one among facts, or a review whose last sentence decides."""
        shape = self.draw.choices(("lone", "among facts", "mixed"), (38, 37, 25))[0]
        if shape == "mixed":
            return self.mixed(label)
        sentence = self.sentence(self.clause(label, tuple(CONSTRUCTIONS)))
        if shape == "lone":
            return sentence
        before, after = self.draw.choice(((1, 0), (0, 1), (1, 1), (2, 1), (2, 2)))
        return " ".join([*self.facts[:before], sentence, *self.facts[before : before + after]])

    def mixed(self, label: int) -> str:
        judged = [
            self.sentence(self.clause(self.draw.randrange(2), JUDGEMENTS))
            for _ in range(self.draw.randint(1, len(self.aspects) - 2))
        ]
        body = judged + self.facts[: self.draw.randint(0, 4)]
        self.draw.shuffle(body)
        return " ".join([*body, self.sentence(self.draw.choice(self.language.turns) + self.clause(label, VERDICTS))])

    def clause(self, label: int, constructions: tuple[str, ...]) -> str:
        """A clause of that sentiment, about an aspect of which nothing was said before."""
        language, draw = self.language, self.draw
        kind = draw.choices(constructions, [CONSTRUCTIONS[name] for name in constructions])[0]
        if kind in language.phrases:
            return draw.choice(language.phrases[kind][label]).format(**named("n", self.noun))
        (aspect, aspect_kind), (other, other_kind) = self.aspects.pop(), self.aspects[-1]
        pair = draw.choice(language.pairs[aspect_kind] + language.pairs["any"])
        other_pair = draw.choice(language.pairs[other_kind] + language.pairs["any"])
        return draw.choice(language.patterns[kind]).format(
            i=draw.choice(language.intensifiers),
            j=draw.choice(language.strong_intensifiers),
            **named("a", aspect),
            **named("b", other),
            **named("x", pair[label]),
            **named("y", pair[1 - label]),
            **named("w", other_pair[1 - label]),
            **named("s", draw.choice(language.strong[label])),
        )

    def sentence(self, clause: str) -> str:
        return self.language.capitalised(clause) + "."


def named(name: str, word: Forms) -> dict[str, str]:
    return {name + suffix: form for suffix, form in word.items()}
