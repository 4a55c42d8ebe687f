"""The proof over every head that transformers maps: each built tiny, each compared with its own large batch."""

from engine.proof.heads.mapping import MAPPINGS, PROBLEM_TYPES, Head, all_heads
from engine.proof.heads.result import EXACT, HeadResult
from engine.proof.heads.run import prove_heads

__all__ = ["EXACT", "MAPPINGS", "PROBLEM_TYPES", "Head", "HeadResult", "all_heads", "prove_heads"]
