"""What a window takes: live tensor bytes at its peak, by category and moment, whether predicted or measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Category = Literal["weights", "gradients", "optimizer", "activations", "other"]
"""Weights are parameters and buffers. Activations are what the forward pass keeps for the backward pass, or computes
again there. Other is all that is temporary: batches, results on their way, autocast's copies of weights."""

Phase = Literal["forward", "backward", "update"]

CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True)
class Moment:
    """When the peak is: the phase, the micro-batch (from 1; of an update the last one), and the module at work."""

    phase: Phase
    micro_batch: int
    module: str | None


@dataclass(frozen=True)
class LargeTensor:
    """A storage alive at the peak, under the name of its parameter or of the module that made it."""

    name: str
    bytes: int
    category: Category
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Span:
    """The points [start, end) of a trace that belong to one phase of one micro-batch."""

    phase: Phase
    micro_batch: int
    start: int
    end: int


@dataclass(frozen=True)
class Trace:
    """Live bytes over the window: one list a category, all of one length, with every phase's own peak kept."""

    bytes: dict[Category, list[int]]
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Account:
    """One window: `steps` micro-batches of `micro_batch` rows, each `length` tokens long, then the update.

    Bytes are those of live tensor storages, each counted once; `parts` sum to `peak_bytes`. `device` is the type that
    it was reckoned for: cpu, cuda or mps. `seconds` is what the reckoning or measuring took.
    """

    measured: bool
    device: str
    micro_batch: int
    steps: int
    length: int
    parameters: int
    trainable: int
    peak_bytes: int
    parts: dict[Category, int]
    moment: Moment
    largest: tuple[LargeTensor, ...]
    trace: Trace
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Account:
        """The inverse of `to_dict`."""
        trace = values["trace"]
        return cls(
            **{
                **values,
                "moment": Moment(**values["moment"]),
                "largest": tuple(LargeTensor(**{**each, "shape": tuple(each["shape"])}) for each in values["largest"]),
                "trace": Trace(trace["bytes"], tuple(Span(**each) for each in trace["spans"])),
            }
        )
