"""A class is spoken of in both languages."""

from __future__ import annotations

import string

from gui.classroom import preset
from gui.text import english_classroom, turkish_classroom


def values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_class_is_spoken_of_alike_in_turkish() -> None:
    english, turkish = english_classroom.CLASSROOM, turkish_classroom.CLASSROOM
    assert turkish.keys() == english.keys()
    assert all(values(turkish[name]) == values(english[name]) for name in english)


def test_every_field_of_a_wish_has_its_words_and_those_of_its_refusal() -> None:
    words = english_classroom.CLASSROOM
    assert {f"class.own.{name}" for name in preset.Wish.__annotations__} <= words.keys()
    assert {
        f"class.refused.{name}" for name in (*preset.BOUNDS, "learning_rate", "name", "rows", "form")
    } <= words.keys()
    assert {f"class.own.normalization.{name}" for name in preset.NORMALIZATIONS} <= words.keys()
