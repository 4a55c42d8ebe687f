"""The proof over every head that transformers maps: each built tiny, each compared with its own large batch."""

from engine.proof.heads.mapping import MAPPINGS, PROBLEM_TYPES, Head, all_heads, matching
from engine.proof.heads.result import EXACT, REASONS, HeadResult
from engine.proof.heads.run import prove_heads

__all__ = [
    "EXACT",
    "MAPPINGS",
    "PROBLEM_TYPES",
    "REASONS",
    "Head",
    "HeadResult",
    "all_heads",
    "matching",
    "prove_heads",
]
