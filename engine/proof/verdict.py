"""What a proof says, as codes of `errors.WORDING` with the values of their words."""

from __future__ import annotations

from typing import Any

from engine.errors import WORDING
from engine.figures import error_text, plan_text
from engine.proof.prove import Proof, Way

Sentence = tuple[str, dict[str, Any]]


def verdict(proof: Proof) -> list[Sentence]:
    """The sentences that hold for the run's own plan, the most important one first."""
    mine = proof.way("accumulated")
    if mine is None:
        return []
    sentences = [_of_the_run(proof, mine)]
    if proof.cause is not None and sentences[0][0] == "proof.wrong":
        code, seen = proof.cause
        sentences.append((f"proof.cause-{code}", {"seen": seen}))
    if proof.reference == "rows":
        sentences.append(("proof.rows", {}))
    for name, judge in (("trainer", _of_the_stock), ("mean-of-means", _of_the_means)):
        way = proof.way(name, mine.plan)  # type: ignore[arg-type]
        if way is not None:
            sentences.append(judge(proof, way))
    return sentences


def in_words(sentences: list[Sentence]) -> list[str]:
    """The sentences in English, each with its remedy."""
    return [" ".join(WORDING[code]).strip().format(**values) for code, values in sentences]


def _of_the_run(proof: Proof, mine: Way) -> Sentence:
    values = {"plan": plan_text(mine.plan), "rows": proof.rows, "targets": proof.targets}
    error = mine.relative_error
    large = proof.way("large-batch")
    if error > proof.tolerance and large is not None and mine.own_error is not None:
        code = "proof.own-loss" if mine.own_error <= proof.tolerance else "proof.own-loss-wrong"
        numbers = {"loss": f"{large.loss:.4f}", "own": f"{proof.reference_loss:.4f}"}
        return code, {**values, **numbers, "error": error_text(mine.own_error)}
    if error <= proof.tolerance:
        code = "proof.exact"
    else:
        code = "proof.close" if proof.precision == "fp32" and error < 1e-3 else "proof.wrong"
    return code, {**values, "error": error_text(error)}


def _of_the_stock(proof: Proof, way: Way) -> Sentence:
    large = proof.way("trainer-large-batch")
    ratio, error = way.norm_ratio, way.relative_error
    if error <= proof.tolerance:
        return "proof.trainer-exact", {}
    if large is not None and large.relative_error > 1e-3 and abs(ratio / large.norm_ratio - 1) < 1e-3:
        return "proof.trainer-both", {"ratio": f"{ratio:.2f}"}
    if abs(ratio - 1) > 0.005:
        return ("proof.trainer-scaled" if ratio > 1 else "proof.trainer-small"), {"ratio": f"{ratio:.2f}"}
    return "proof.trainer-off", {"error": error_text(error)}


def _of_the_means(proof: Proof, way: Way) -> Sentence:
    if way.relative_error <= proof.tolerance:
        return "proof.means-exact", {}
    return "proof.means-off", {"error": error_text(way.relative_error)}
