"""Sweeps: many runs of one config, each with other values of a few fields."""

from engine.sweep.service import Sweeps

__all__ = ["Sweeps"]
