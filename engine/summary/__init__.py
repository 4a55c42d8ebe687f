"""What came of a run, told where it is kept: its findings in numbers, curves as pictures, and the card of its model."""

from engine.summary.card import write_card

__all__ = ["write_card"]
