"""How the rows of a window are dealt into micro-batches: any way gives the same update, since its gradient is a sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

WindowOrder = Literal["sorted", "random"]

Widths = tuple[int, ...]
"""The length of each part of a row that is padded for itself: one part, or a source and a target."""


def deal(
    widths: Sequence[Widths],
    *,
    micro_batch: int,
    order: WindowOrder = "random",
    tokens: int | None = None,
    packed: bool = False,
) -> list[list[int]]:
    """The rows of each micro-batch, as indices into `widths`; every row once.

    `sorted` puts rows of like length together, the longest first, so that little is padded and a micro-batch that
    does not fit is met at once. `random` keeps the order in which the rows came. Without `tokens` a micro-batch holds
    `micro_batch` rows; with it as many as keep `positions` within `tokens`. A row that is wider than that alone is
    a micro-batch of its own: whoever sets the bound checks the rows.
    """
    rows = list(range(len(widths)))
    if order == "sorted":
        rows.sort(key=lambda row: -sum(widths[row]))
    if tokens is None:
        return [rows[start : start + micro_batch] for start in range(0, len(rows), micro_batch)]
    dealt: list[list[int]] = []
    for row in rows:
        if dealt and positions([widths[other] for other in (*dealt[-1], row)], packed=packed) <= tokens:
            dealt[-1].append(row)
        else:
            dealt.append([row])
    return dealt


def positions(widths: Sequence[Widths], *, packed: bool = False) -> int:
    """What a micro-batch of these rows takes: rows × the longest of each part; `packed`, the sum of all lengths."""
    if packed:
        return sum(sum(width) for width in widths)
    longest: list[int] = [max(part) for part in zip(*widths, strict=True)]
    return len(widths) * sum(longest)
