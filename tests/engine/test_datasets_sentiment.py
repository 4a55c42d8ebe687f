"""The reviews: balanced, uneven, and beyond a bag of words."""

from collections import Counter

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from engine.datasets import BUILT_IN
from engine.datasets.sentiment import LANGUAGES, sentiment
from engine.datasets.sentiment.english import ENGLISH
from engine.datasets.sentiment.language import Language
from engine.datasets.sentiment.turkish import TURKISH, capitalised


@pytest.mark.parametrize("seed", [1, 42])
def test_a_bag_of_words_learns_some_of_it_but_stays_under_85_percent(seed: int) -> None:
    rows = BUILT_IN["sentiment"].load(seed, eval_rows=800)
    words = CountVectorizer()
    model = LogisticRegression(max_iter=2000)
    model.fit(words.fit_transform([row["text"] for row in rows.train]), [row["label"] for row in rows.train])
    accuracy = model.score(
        words.transform([row["text"] for row in rows.evaluation]), [row["label"] for row in rows.evaluation]
    )
    assert 0.58 < accuracy < 0.85


def test_labels_and_languages_are_balanced() -> None:
    pairs = sentiment(5)
    assert Counter(label for _, label in pairs) == {0: 1600, 1: 1600}
    # Rows are made in turn: English negative, English positive, Turkish negative, Turkish positive.
    assert [label for _, label in pairs[:4]] == [0, 1, 0, 1]


def test_rows_run_from_3_to_80_words() -> None:
    lengths = sorted(len(text.split()) for text, _ in sentiment(5))
    assert (lengths[0], lengths[-1] <= 80) == (3, True)
    assert lengths[len(lengths) // 4] < 10
    assert lengths[len(lengths) * 19 // 20] > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_order_alone_turns_the_sentiment(language: Language) -> None:
    # "X was not dull but lively" and "X was not lively but dull" are one bag of words.
    for pattern in language.patterns["contrast"]:
        word = dict.fromkeys(("a", "a_gen", "a_acc", "i", "j"), "")
        one = pattern.format(**word, x="p", y="n", x_past="p", y_past="n")
        other = pattern.format(**word, x="n", y="p", x_past="n", y_past="p")
        assert one != other
        assert Counter(one.split()) == Counter(other.split()) or "," in one


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_use_the_same_constructions(language: Language) -> None:
    assert set(language.patterns) == set(ENGLISH.patterns)
    assert set(language.phrases) == set(ENGLISH.phrases)
    for domain in language.domains:
        assert len(domain.aspects) >= 5
        assert {kind for _, kind in domain.aspects} <= set(language.pairs)


def test_turkish_capitals_keep_the_dot() -> None:
    assert capitalised("ilk bölüm") == "İlk bölüm"
    assert capitalised("ılık") == "Ilık"


VOWELS = "aıoueiöü"
PAST = {"a": "ı", "ı": "ı", "o": "u", "u": "u", "e": "i", "i": "i", "ö": "ü", "ü": "ü"}


def test_turkish_adjectives_take_the_past_by_vowel_harmony() -> None:
    # The last vowel decides the suffix's vowel, a hard last consonant makes it "t", and a last vowel adds a "y".
    pairs = [word for kind in TURKISH.pairs.values() for pair in kind for word in pair]
    for word in [*pairs, *TURKISH.strong[0], *TURKISH.strong[1]]:
        base = word[""]
        vowel = PAST[next(letter for letter in reversed(base) if letter in VOWELS)]
        joint = "yd" if base[-1] in VOWELS else "t" if base[-1] in "fstkçşhp" else "d"
        assert word["_past"] == base + joint + vowel


def test_turkish_nouns_take_their_cases_by_vowel_harmony() -> None:
    nouns = [domain.noun for domain in TURKISH.domains] + [
        noun for domain in TURKISH.domains for noun, _ in domain.aspects
    ]
    for noun in nouns:
        base = noun[""]
        vowel = PAST[next(letter for letter in reversed(base) if letter in VOWELS)]
        assert noun["_gen"].endswith(vowel + "n")
        assert noun["_acc"].endswith(vowel)
