"""The largest micro-batch that fits, and the steps that keep the effective batch exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

MOST_NEAREST = 4
STRIDE = 4
NEAR = 0.25
"""Plans nearby keep the effective batch within this share of what was asked for."""


@dataclass(frozen=True)
class Choice:
    """`micro_batch` rows × `steps` × processes = `effective`, and the peak of live tensor bytes that each process is
    predicted to have."""

    micro_batch: int
    steps: int
    effective: int
    peak_bytes: int


@dataclass(frozen=True)
class Fit:
    """`choice` has the largest micro-batch whose product with its steps is exactly `effective`; None where none fits.

    `nearest`: plans with larger micro-batches than the exact one's whose product is another, the nearest product first;
    they are for a person to pick. `least_bytes`: what one row at a time takes.
    """

    effective: int
    budget_bytes: int
    choice: Choice | None
    nearest: tuple[Choice, ...]
    least_bytes: int

    @property
    def exact(self) -> bool:
        return self.choice is not None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "exact": self.exact}


def fit(
    peak: Callable[[int], int],
    *,
    effective: int,
    budget_bytes: int,
    processes: int = 1,
    most_rows: int | None = None,
) -> Fit:
    """Finds the plan. Of several `processes` each has the budget, on a device of its own. `peak` gives the bytes that a
    micro-batch of so many rows takes; it is asked seldom, and never of more than `most_rows`.

    It must not fall with the rows. What it gives is convex but for rounding (the highest of some straight lines, one a
    moment of the window), so a chord between a size that fits and one that does not meets the budget at one that fits.
    """
    known: dict[int, int] = {}

    def bytes_of(rows: int) -> int:
        if rows not in known:
            known[rows] = peak(rows)
        return known[rows]

    share = max(1, -(-effective // processes))
    least = bytes_of(1)
    if least > budget_bytes:
        return Fit(effective, budget_bytes, None, (), least)
    largest = _largest(bytes_of, min(share, most_rows or share), budget_bytes)
    exact = [rows for rows in range(1, largest + 1) if effective % (rows * processes) == 0]

    def choice(rows: int, steps: int) -> Choice:
        return Choice(rows, steps, rows * steps * processes, bytes_of(rows))

    best = choice(exact[-1], effective // (exact[-1] * processes)) if exact else None
    plans = _nearest(effective, processes, (exact[-1] if exact else 0) + 1, largest)
    return Fit(effective, budget_bytes, best, tuple(choice(*plan) for plan in plans), least)


def smaller(found: Fit, peak: Callable[[int], int]) -> Iterator[Choice]:
    """The plan that was found, and then those of the same product with smaller micro-batches."""
    if found.choice is None:
        return
    yield found.choice
    processes = found.choice.effective // (found.choice.micro_batch * found.choice.steps)
    for rows in range(found.choice.micro_batch - 1, 0, -1):
        if found.effective % (rows * processes) == 0:
            yield Choice(rows, found.effective // (rows * processes), found.effective, peak(rows))


def _largest(bytes_of: Callable[[int], int], most: int, budget: int) -> int:
    """The largest number of rows up to `most` that fits; one row does."""
    fits, fails = 1, min(STRIDE, most)
    # never far above what fits: a reckoning of a thousand times the device would be slow itself
    while bytes_of(fails) <= budget:
        if fails == most:
            return most
        fits, fails = fails, min(STRIDE * fails, most)
    while fails - fits > 1:
        low, high = bytes_of(fits), bytes_of(fails)
        chord = fits + (fails - fits) * (budget - low) // max(1, high - low)
        rows = min(max(chord, fits + 1), fails - 1)
        if bytes_of(rows) > budget:
            fails = rows
            continue
        fits = rows
        # rounding aside, the chord is close: the next size settles it most of the time
        if fits + 1 < fails and bytes_of(fits + 1) > budget:
            fails = fits + 1
    return fits


def _nearest(effective: int, processes: int, smallest: int, largest: int) -> list[tuple[int, int]]:
    """(rows, steps) with products near `effective` but other than it: the nearest first, then the fewest steps."""
    found: dict[int, tuple[int, int]] = {}
    for rows in range(largest, smallest - 1, -1):
        for steps in {effective // (rows * processes), -(-effective // (rows * processes))} - {0}:
            product = rows * steps * processes
            if product != effective and abs(product - effective) <= NEAR * effective:
                found.setdefault(product, (rows, steps))
    by_distance = sorted(found, key=lambda product: (abs(product - effective), -found[product][0]))
    return [found[product] for product in by_distance[:MOST_NEAREST]]
