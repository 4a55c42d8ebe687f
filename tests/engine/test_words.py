"""The tables of words, put together from their rooms, in both languages."""

from __future__ import annotations

import errno
import os
import re
import string
from pathlib import Path

from engine.errors import WORDING
from engine.words import ROOMS, turkish
from engine.words.turkish import TURKISH
from engine.words.wording import Wording

ENGINE = Path(turkish.__file__).parents[2]


def values(words: Wording) -> list[set[str]]:
    """The names in braces, of the message and of the remedy."""
    return [{name for _, name, _, _ in string.Formatter().parse(each) if name} for each in words]


def test_each_code_stands_in_one_room() -> None:
    assert sum(map(len, ROOMS)) == len(WORDING)
    assert sum(map(len, turkish.ROOMS)) == len(TURKISH.wording)


def test_the_rooms_hold_the_same_codes_in_turkish() -> None:
    assert {frozenset(room) for room in turkish.ROOMS} == {frozenset(room) for room in ROOMS}


def test_each_code_says_its_values_in_turkish_and_a_remedy_where_english_has_one() -> None:
    for code, words in WORDING.items():
        assert values(TURKISH.wording[code]) == values(words), code
        assert [bool(each) for each in TURKISH.wording[code]] == [bool(each) for each in words], code


def test_what_is_put_into_other_words_is_still_said_so() -> None:
    said = "\n".join(
        file.read_text(encoding="utf-8")
        for file in ENGINE.rglob("*.py")
        if "words" not in file.relative_to(ENGINE).parts
    )
    said += "\n".join(os.strerror(number) for number in errno.errorcode)
    for name in ("beside", "error", "problem", "wanted", "seen", "reason"):
        for pattern in TURKISH.phrases[name]:
            for part in re.split(r"\(\\[Sd]\+\)|\\[()]| the error is ", pattern):
                assert re.sub(r"\\(\W)", r"\1", part).strip() in said, pattern


def test_a_value_in_words_is_said_in_turkish() -> None:
    told = TURKISH.told("data.not-text", {"source": "a.csv", "kind": "int", "place": "line 7", "field": "data.text"})
    assert told is not None
    assert told.message == "a.csv içinde metin yerine tam sayı var, yeri 7. satır."
    told = TURKISH.told("model.wrong-task", {"name": "x", "task": "t", "able": "a or b", "tasks": "c or d"})
    assert told is not None
    assert told.remedy == "Model olarak a ya da b ya da görev olarak c ya da d seçin."


def test_numbers_have_a_decimal_comma_and_the_sign_of_a_share_before_them() -> None:
    assert TURKISH.value("error", "12.7 %") == "%12,7"
    assert TURKISH.value("error", "3e-7") == "3e-7"
    assert TURKISH.value("best", 0.125) == "0,125"
    assert TURKISH.value("needed", "1.25 GiB") == "1,25 GiB"
    assert TURKISH.number("1,234,567.8") == "1.234.567,8"
    # what the user wrote, or would have to write, stays as it is written in YAML
    assert TURKISH.value("value", "1.5") == "1.5"
    assert TURKISH.told("no.such-code", {}) is None
    assert TURKISH.told("config.no-file", {}) is None
