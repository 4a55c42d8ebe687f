"""English words for the reviews."""

from __future__ import annotations

from engine.datasets.reviews.language import Language

ENGLISH = Language(
    things={
        "food": ("the breakfast", "the soup", "the coffee", "the dinner", "the fish"),
        "location": ("the neighbourhood", "the way to the station", "the street", "the view"),
        "price": ("the price", "the bill", "the fee for parking", "the discount"),
        "room": ("the room", "the bed", "the bathroom", "the balcony", "the heating"),
        "staff": ("the receptionist", "the waiter", "the cleaner", "the porter", "the manager"),
    },
    judged={
        1: ("awful", "dreadful", "a disaster", "the worst in years"),
        2: ("poor", "disappointing", "not good", "not what one hopes for"),
        3: ("average", "acceptable", "neither good nor bad", "no better than elsewhere"),
        4: ("good", "pleasant", "not bad at all", "better than expected"),
        5: ("wonderful", "superb", "a delight", "the best in years"),
    },
    clauses=(
        "{thing} was {judged}",
        "I found that {thing} was {judged}",
        "to be honest, {thing} was {judged}",
        "{thing}, I must say, was {judged}",
        "my sister thought that {thing} was {judged}",
    ),
    facts=(
        "We came on a Friday in March.",
        "It was our second visit.",
        "There were four of us.",
        "We left on Sunday after a walk.",
        "It rained all weekend.",
        "A friend had told us about it.",
    ),
    capitalised=lambda text: text[0].upper() + text[1:],
)
