"""English words and patterns for the sentiment rows."""

from __future__ import annotations

from engine.datasets.sentiment.language import Domain, Forms, Language, Pair, forms


def aspects(kind: str, *names: str) -> tuple[tuple[Forms, str], ...]:
    return tuple((forms(name), kind) for name in names)


def pairs(*words: str) -> tuple[Pair, ...]:
    return tuple((forms(bad), forms(good)) for good, bad in (word.split(" / ") for word in words))


DOMAINS = (
    Domain(
        forms("film"),
        aspects("story", "the plot", "the ending", "the middle part")
        + aspects("acting", "the lead actor", "the acting")
        + aspects("any", "the music"),
        (
            "We watched it on a Tuesday evening with my brother.",
            "The cinema was half full.",
            "It runs for a little over two hours.",
            "My cousin had bought the tickets a week before.",
            "It is based on a short story from the sixties.",
        ),
    ),
    Domain(
        forms("book"),
        aspects("story", "the opening", "the story", "the last chapter", "the main character")
        + aspects("text", "the translation")
        + aspects("any", "the cover"),
        (
            "I read it on the train over two weeks.",
            "It has about three hundred pages.",
            "A colleague lent it to me in the spring.",
            "The author used to work as a teacher.",
            "I own the paperback from last year.",
        ),
    ),
    Domain(
        forms("hotel"),
        aspects("place", "the room", "the lobby", "the bar", "the bathroom")
        + aspects("food", "the breakfast")
        + aspects("person", "the receptionist"),
        (
            "We stayed there for three nights in June.",
            "It is a ten minute walk from the station.",
            "Our room was on the fourth floor.",
            "My parents had booked it through an agency.",
            "There is a bus stop across the street.",
        ),
    ),
    Domain(
        forms("restaurant"),
        aspects("food", "the soup", "the main course", "the salad", "the dessert")
        + aspects("person", "the waiter")
        + aspects("place", "the dining room"),
        (
            "We went there for lunch on a Friday.",
            "There were six of us at the table.",
            "It opened last autumn next to the library.",
            "We had reserved a table by phone.",
            "My sister ordered the fish.",
        ),
    ),
    Domain(
        forms("phone"),
        aspects("device", "the camera", "the charger", "the keyboard", "the speaker", "the screen", "the battery"),
        (
            "I bought it in March to replace my old one.",
            "It comes in black and in grey.",
            "The box also holds a cable.",
            "I use it mostly at work.",
            "My brother has the same model.",
        ),
    ),
    Domain(
        forms("course"),
        aspects("person", "the teacher", "the assistant")
        + aspects("text", "the textbook", "the homework", "the final exam")
        + aspects("place", "the classroom"),
        (
            "It took place twice a week for two months.",
            "There were fourteen of us in the group.",
            "I signed up for it through my company.",
            "We met in a building near the harbour.",
            "Each lesson lasted ninety minutes.",
        ),
    ),
)

ENGLISH = Language(
    domains=DOMAINS,
    pairs={
        "any": pairs("good / bad", "pleasant / unpleasant", "impressive / disappointing"),
        "story": pairs("gripping / boring", "original / predictable", "convincing / implausible", "lively / dull"),
        "acting": pairs("convincing / wooden", "lively / lifeless", "moving / cold"),
        "text": pairs("clear / confusing", "useful / useless", "well written / badly written"),
        "place": pairs("clean / dirty", "quiet / noisy", "spacious / cramped", "comfortable / uncomfortable"),
        "food": pairs("tasty / bland", "fresh / stale", "generous / meagre"),
        "person": pairs("friendly / rude", "helpful / unhelpful", "patient / impatient", "attentive / careless"),
        "device": pairs("convenient / awkward", "reliable / unreliable", "sturdy / flimsy", "handy / clumsy"),
    },
    strong=(
        tuple(map(forms, ("terrible", "awful", "dreadful", "horrible", "a disaster"))),
        tuple(map(forms, ("superb", "wonderful", "brilliant", "a delight", "excellent"))),
    ),
    intensifiers=("", "", "very ", "really ", "quite ", "extremely ", "rather "),
    strong_intensifiers=("", "simply ", "truly ", "absolutely "),
    patterns={
        "plain": (
            "{a} was {i}{x}",
            "I found {a} {i}{x}",
            "{a} turned out to be {i}{x}",
            "{a} was {j}{s}",
            "to my mind {a} was {j}{s}",
        ),
        "negation": (
            "{a} was not {y}",
            "{a} was not {y} at all",
            "{a} was anything but {y}",
            "I would not call {a} {y}",
            "{a} was far from {y}",
            "nobody could say that {a} was {y}",
            "I cannot agree that {a} was {y}",
        ),
        "contrast": (
            "{a} was not {y} but {i}{x}",
            "{a} was {i}{x}, not {y}",
            "far from being {y}, {a} was {x}",
            "instead of being {y}, {a} was {x}",
            "{a} was {x} rather than {y}",
            "I would call {a} {x}, never {y}",
        ),
        "concession": (
            "although {b} was {w}, {a} was {i}{x}",
            "{a} was {i}{x}, although {b} was {w}",
            "{b} was {w}, but {a} was {i}{x}",
            "even though {b} was {w}, {a} was {x}",
            "{a} was {x}, even though {b} was {w}",
            "while {b} was {w}, {a} was {i}{x}",
        ),
        "expectation": (
            "I expected {a} to be {y}, and I was wrong",
            "I expected {a} to be {x}, and I was right",
            "my friends had said that {a} was {y}; they were wrong",
            "my friends had said that {a} was {x}; they were right",
            "people who call {a} {y} are mistaken",
            "people who call {a} {x} are not mistaken",
            "I was told that {a} was {y}, which is not true",
            "I was told that {a} was {x}, which is true",
        ),
    },
    phrases={
        "comparison": (
            (
                "the last {n} that I tried was better than this one",
                "this {n} was worse than the last one that I tried",
                "this {n} was less pleasant than the last one",
                "the last {n} was more impressive than this one",
            ),
            (
                "this {n} was better than the last one that I tried",
                "the last {n} that I tried was worse than this one",
                "the last {n} was less pleasant than this one",
                "this {n} was more impressive than the last one",
            ),
        ),
        "verdict": (
            (
                "I would not recommend this {n} to anyone",
                "I regret that I chose this {n}",
                "I would not choose this {n} again",
                "this {n} was not worth the money",
                "there is nothing about this {n} that I would keep",
                "I cannot see why anyone should choose this {n}",
            ),
            (
                "I would recommend this {n} to anyone",
                "I do not regret that I chose this {n}",
                "I would choose this {n} again",
                "this {n} was worth the money",
                "there is nothing about this {n} that I would change",
                "I cannot see why anyone should not choose this {n}",
            ),
        ),
        "short": (
            (
                "not good at all",
                "what a terrible {n}",
                "I did not like this {n}",
                "I disliked this {n} a lot",
                "you will hardly find a worse {n}",
                "it could hardly have been worse",
                "the {n} failed to please us",
            ),
            (
                "not bad at all",
                "what a wonderful {n}",
                "I did not dislike this {n}",
                "I liked this {n} a lot",
                "you will hardly find a better {n}",
                "it could hardly have been better",
                "the {n} never failed to please us",
            ),
        ),
    },
    turns=("all in all, ", "in the end, ", "even so, ", "all things considered, ", "when all is said and done, "),
    capitalised=lambda text: text[0].upper() + text[1:],
)
