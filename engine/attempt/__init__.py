"""A trained model tried: what may be asked of it, and the process that answers."""

from engine.attempt.about import Tryable, model_folder, tryable
from engine.attempt.service import Attempts

__all__ = ["Attempts", "Tryable", "model_folder", "tryable"]
