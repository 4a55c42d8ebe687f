"""What is said of faults and of what happens: a room a subject, a code its message and remedy."""

from engine.words import (
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
