"""The processes of one run, and what they tell each other."""

from engine.ranks.group import Ranks
from engine.ranks.several import Several

__all__ = ["Ranks", "Several"]
