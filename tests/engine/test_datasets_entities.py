"""The tagged sentences: well-formed, uneven, and beyond a dictionary of words."""

from collections import Counter, defaultdict
from typing import Any

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from engine.datasets import BUILT_IN
from engine.datasets.entities import LANGUAGES, entities
from engine.datasets.entities.turkish import inflected


def f1(right: list[str], found: list[str]) -> float:
    hits = sum(one == other != "O" for one, other in zip(right, found, strict=True))
    return 2 * hits / sum(tag != "O" for tag in (*right, *found))


@pytest.mark.parametrize("seed", [1, 42])
def test_the_words_alone_do_not_tell_their_tags(seed: int) -> None:
    rows = BUILT_IN["entities"].load(seed, eval_rows=800)
    names: Any = rows.labels
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows.train:
        for word, tag in zip(row["words"], row["label"], strict=True):
            seen[word][names[tag]] += 1
    right = [names[tag] for row in rows.evaluation for tag in row["label"]]
    found = [
        seen[word].most_common(1)[0][0] if word in seen else "O" for row in rows.evaluation for word in row["words"]
    ]
    looked_up = f1(right, found)
    assert 0.3 < looked_up < 0.8

    def around(words: list[str], place: int) -> dict[str, str]:
        near = range(max(0, place - 3), min(len(words), place + 4))
        return {str(other - place): words[other].split("'")[-1] for other in near}

    def features(part: Any) -> list[dict[str, str]]:
        return [around(row["words"], place) for row in part for place in range(len(row["words"]))]

    vectors = DictVectorizer()
    tagger = LogisticRegression(max_iter=60, tol=1e-2)
    tagger.fit(
        vectors.fit_transform(features(rows.train[:600])), [names[t] for r in rows.train[:600] for t in r["label"]]
    )
    assert f1(right, list(tagger.predict(vectors.transform(features(rows.evaluation))))) > looked_up + 0.2


def test_tags_begin_entities_before_they_go_on_inside() -> None:
    for row in entities(3):
        before = "O"
        for _, tag in row:
            assert not tag.startswith("I-") or before[2:] == tag[2:]
            before = tag
    kinds = Counter(tag for row in entities(3) for _, tag in row)
    assert min(kinds.values()) > 300


def test_rows_run_from_5_to_50_words_or_so() -> None:
    lengths = sorted(map(len, entities(5)))
    assert lengths[0] >= 4
    assert lengths[-1] > 40
    assert lengths[len(lengths) * 9 // 10] > 2 * lengths[len(lengths) // 4]


def test_names_can_be_a_person_s_a_place_s_and_an_organisation_s() -> None:
    seen: dict[str, set[str]] = defaultdict(set)
    for row in entities(7):
        for word, tag in row:
            seen[word].add(tag)
    for language in LANGUAGES:
        assert all({"B-PER", "B-LOC", "B-ORG"} <= seen[name] for name in language.names)


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("Fırat", ("Fırat'ta", "Fırat'tan", "Fırat'a", "Fırat'ın")),
        ("Ege", ("Ege'de", "Ege'den", "Ege'ye", "Ege'nin")),
        ("Göksu", ("Göksu'da", "Göksu'dan", "Göksu'ya", "Göksu'nun")),
        ("İdil", ("İdil'de", "İdil'den", "İdil'e", "İdil'in")),
        ("Öztürk", ("Öztürk'te", "Öztürk'ten", "Öztürk'e", "Öztürk'ün")),
    ],
)
def test_turkish_names_take_their_cases_by_vowel_harmony(word: str, forms: tuple[str, ...]) -> None:
    assert tuple(inflected(word, case) for case in ("de", "den", "e", "in")) == forms
