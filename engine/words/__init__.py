"""What is said of faults and of what happens: a room a subject, a code its message and remedy."""

from engine.words import checkpoints, config, exports, homes, inputs, memory, own_data, proofs, runs, samples

ROOMS = tuple(room.WORDS for room in (config, inputs, own_data, runs, checkpoints, memory, proofs, homes, samples, exports))
