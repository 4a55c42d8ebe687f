"""English words and patterns for the tagged sentences."""

from __future__ import annotations

from engine.datasets.entities.language import Language


def possessive(word: str, case: str) -> str:
    return f"{word}'s"


NAMES = (
    "Austin", "Jordan", "Florence", "Sydney", "Lincoln", "Georgia", "Chelsea", "Madison", "Carolina", "Dallas",
    "Houston", "Phoenix", "Savannah", "Devon", "Kent", "Chester", "Lancaster", "Hamilton", "Wellington",
    "Victoria", "Charlotte", "Orlando", "Denver", "Preston", "Stafford", "Adelaide", "Windsor", "Logan", "Tyler",
    "Jackson",
)  # fmt: skip

ENGLISH = Language(
    names=NAMES,
    first_names=("April", "May", "June", "August", "Emma", "Oliver", "Grace", "Peter", "Ruth", "Daniel"),
    last_names=("Miller", "Baker", "Young", "Wright", "Banks", "Rivers"),
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    months=("April", "May", "June", "August", "October"),
    entities={
        "PER": ("{name}", "{name}", "{first}", "{first} {last}", "{first} {last}", "{name} {last}"),
        "LOC": ("{name}", "{name}", "{name}", "Lake {name}", "{name} Street", "North {name}", "Port {name}"),
        "ORG": ("{name}", "{name}", "{name} Bank", "Bank of {name}", "{name} Street Books", "{first} and {last}"),
        "DAY": ("{day} {month}", "{day} {month} {year}", "{weekday}", "{weekday} {day} {month}"),
        "SPAN": ("{month}", "{month} {year}", "{year}", "early {month}"),
    },
    sentences=(
        "PER flew from LOC to LOC .",
        "PER was born in LOC and grew up near LOC .",
        "on DAY PER moved to LOC with N boxes and an old dog .",
        "PER , who teaches in LOC , wrote to PER on DAY .",
        "ORG hired N engineers for its office in LOC .",
        "ORG will open a new branch in LOC in SPAN .",
        "shares of ORG fell on DAY after a report by ORG .",
        "PER has worked for ORG since SPAN .",
        "the train to LOC leaves at N , said PER .",
        "it rained in LOC for N days .",
        "ORG bought a smaller rival , ORG , for N million .",
        "PER+s brother lives N miles south of LOC .",
        "PER told PER about the fire in LOC .",
        "we may meet PER in LOC on DAY .",
        "the chairman of ORG , PER , resigned on DAY .",
        "LOC lies on a river , N miles from LOC .",
        "nobody in LOC had heard of ORG before SPAN .",
        "PER asked whether the bank on the corner would close in SPAN .",
        "ORG+s lawyers called PER N times .",
        "the lake was frozen until SPAN .",
        "in the north of LOC , N people joined the march .",
        "PER laughed and closed the door .",
        "customers of ORG complained to PER in SPAN .",
        "the road between LOC and LOC was shut on DAY .",
    ),
    inflected=possessive,
)
