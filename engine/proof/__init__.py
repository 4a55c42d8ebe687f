"""The proof: an accumulated gradient against the gradient of the large batch, on the model itself."""

from engine.proof.bench import Bench
from engine.proof.prove import BatchPlan, Proof, Way, plans_of, prove
from engine.proof.side_by_side import Curve, side_by_side
from engine.proof.verdict import in_words, verdict

__all__ = ["BatchPlan", "Bench", "Curve", "Proof", "Way", "in_words", "plans_of", "prove", "side_by_side", "verdict"]
