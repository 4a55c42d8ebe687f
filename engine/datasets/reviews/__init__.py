"""Reviews of hotels in English and Turkish, made by us: which topics are judged, and how well they do on average.

Each topic that a review speaks of gets a score from 1 to 5. Sentences of fact stand between the judgements.
"""

from __future__ import annotations

import random

from engine.datasets.reviews.english import ENGLISH
from engine.datasets.reviews.language import TOPICS, Language
from engine.datasets.reviews.turkish import TURKISH

LANGUAGES = (ENGLISH, TURKISH)
ROWS = 3200
SCORES = range(1, 6)

Review = tuple[str, list[int], float]
"""Text, the topics' places in `TOPICS`, and the mean of their scores to one decimal."""


def reviews(seed: int) -> list[Review]:
    """`ROWS` different reviews, as many of each language."""
    draw = random.Random(seed)
    found: dict[str, Review] = {}
    while len(found) < ROWS:
        language = LANGUAGES[len(found) % len(LANGUAGES)]
        topics = draw.sample(range(len(TOPICS)), draw.choices(range(1, 6), (35, 30, 20, 10, 5))[0])
        scores = [draw.choice(SCORES) for _ in topics]
        sentences = [judgement(language, topic, score, draw) for topic, score in zip(topics, scores, strict=True)]
        sentences += draw.sample(language.facts, draw.randint(0, 3))
        draw.shuffle(sentences)
        text = " ".join(sentences)
        found.setdefault(text, (text, sorted(topics), round(sum(scores) / len(scores), 1)))
    return list(found.values())


def judgement(language: Language, topic: int, score: int, draw: random.Random) -> str:
    """A sentence that gives a topic its score."""
    clause = draw.choice(language.clauses).format(
        thing=draw.choice(language.things[TOPICS[topic]]), judged=draw.choice(language.judged[score])
    )
    return f"{language.capitalised(clause)}."
