"""The same in Turkish: a room a subject with the codes of its English twin, and the words inside values."""

from __future__ import annotations

from engine.words.language import Language
from engine.words.turkish import (
    checkpoints,
    comparing,
    config,
    exports,
    history,
    homes,
    inputs,
    launch,
    lessons,
    memory,
    noise,
    own_data,
    player,
    proofs,
    runs,
    samples,
    sweeps,
)
from engine.words.turkish.values import FIGURES, LISTS, OR, PHRASES

_SUBJECTS = (
    config,
    inputs,
    own_data,
    runs,
    launch,
    checkpoints,
    comparing,
    memory,
    proofs,
    homes,
    history,
    samples,
    sweeps,
    exports,
    lessons,
    noise,
    player,
)

ROOMS = tuple(subject.WORDS for subject in _SUBJECTS)

TURKISH = Language(
    wording={code: words for room in ROOMS for code, words in room.items()},
    phrases=PHRASES,
    lists=LISTS,
    either=OR,
    figures=FIGURES,
    separators=(".", ","),
)
