"""Copies of gradients and weights on the host: of all coordinates, or of a fixed sample where those take too much."""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor

SAMPLE = 2**20
"""Coordinates of a sample, at most: a cosine from it is off by some thousandths."""

CHUNK = 2**20
"""Coordinates that are summed in fp64 at a time."""


class Coordinates:
    """Which coordinates of a model's parameters are kept, so that `copies` of them take at most `room` bytes.

    A copy is one vector of fp32. It lies in a mapping of its own, outside the heap: neither a reading of the memory in
    use nor a ledger of tensors takes it for the run's.
    """

    def __init__(self, parameters: Sequence[Tensor], *, copies: int, room: int) -> None:
        self.total = sum(parameter.numel() for parameter in parameters)
        self.exact = 4 * self.total * copies <= room
        starts = [0]
        for parameter in parameters:
            starts.append(starts[-1] + parameter.numel())
        self._places: list[Tensor] | None = None
        if self.exact:
            self.size = self.total
        else:
            wanted = max(1, min(SAMPLE, room // (4 * copies)))
            generator = torch.Generator().manual_seed(0)
            drawn = torch.unique(torch.randint(self.total, (wanted,), generator=generator))
            cuts = torch.searchsorted(drawn, torch.tensor(starts)).tolist()
            self.size = len(drawn)
            ends = pairwise(cuts)
            self._places = [drawn[first:end] - start for start, (first, end) in zip(starts, ends, strict=False)]
            starts = cuts
        self._spans = list(pairwise(starts))

    @torch.no_grad()
    def take(self, tensors: Sequence[Tensor | None]) -> Tensor:
        """One copy; a tensor that is None counts as zeros."""
        kept = _outside_the_heap(self.size)
        for (start, end), found in zip(self._spans, self._parts(tensors), strict=True):
            if found is not None:
                kept[start:end].copy_(found)
        return kept

    @torch.no_grad()
    def apart(self, kept: Tensor, tensors: Sequence[Tensor]) -> float:
        """The norm of `tensors` − `kept`; from a sample it is the one that all would have on average."""
        square = 0.0
        for (start, end), found in zip(self._spans, self._parts(tensors), strict=True):
            if found is not None:
                difference = found.to("cpu", torch.float64) - kept[start:end]
                square += float(torch.dot(difference, difference))
        return math.sqrt(square * self.total / max(1, self.size))

    def _parts(self, tensors: Sequence[Tensor | None]) -> Iterator[Tensor | None]:
        for number, tensor in enumerate(tensors):
            if tensor is None or self._places is None:
                yield None if tensor is None else tensor.detach().flatten()
            else:
                yield tensor.detach().flatten()[self._places[number].to(tensor.device)]


def cosines(copies: Sequence[Tensor], final: Tensor) -> list[float | None]:
    """Of each copy with the last one, summed in fp64; None where one of the two is zero or no number."""
    squares, products, last = [0.0] * len(copies), [0.0] * len(copies), 0.0
    for start in range(0, len(final), CHUNK):
        end = final[start : start + CHUNK].double()
        last += float(torch.dot(end, end))
        for number, copy in enumerate(copies):
            part = copy[start : start + CHUNK].double()
            squares[number] += float(torch.dot(part, part))
            products[number] += float(torch.dot(part, end))
    return [_cosine(product, square * last) for product, square in zip(products, squares, strict=True)]


def _cosine(product: float, squares: float) -> float | None:
    if not squares or not math.isfinite(squares):
        return None
    return max(-1.0, min(1.0, product / math.sqrt(squares)))


def _outside_the_heap(size: int) -> Tensor:
    """A vector of fp32 zeros."""
    return torch.frombuffer(mmap.mmap(-1, max(1, size) * 4), dtype=torch.float32, count=max(1, size))[:size]
