"""Adapters in place of the model's own weights."""

from __future__ import annotations

from pydantic import Field

from engine.config.part import Part, WholeNumber


class LoraSpec(Part):
    """Adapters of low rank beside frozen weights: each adds `alpha` / `r` · B·A to what its layer computes."""

    r: WholeNumber = Field(default=8, ge=1, le=2**16)
    """Rank: the rows of A and the columns of B."""
    alpha: WholeNumber = Field(default=16, ge=1, le=2**16)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Of what A reads, the share that is dropped in training."""
