"""The norms of micro-batches' and windows' gradients, on the weights as they are: nothing is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from engine.noise.scale import Norms
from engine.proof import Bench
from engine.proof.bench import first_windows
from engine.proof.gradients import Gradient


def norms_of(bench: Bench, windows: int, *, check: Callable[[], None] = lambda: None) -> Iterator[Norms]:
    """Of each of the first `windows` full windows of the config, its rows in micro-batches as they come at random.

    A micro-batch's gradient is that of its own mean over its targets, the window's that of the mean over all of them:
    where rows hold unlike numbers of targets, an example counts by its targets. A window with a micro-batch that has
    none is left out. `check` is called before each micro-batch and may raise to give up.
    """
    size, steps = bench.prepared.config.micro_batch, bench.prepared.config.accumulation_steps
    for rows in first_windows(bench.trainer, windows):
        if len(rows) < size * steps:
            return
        window: Gradient = {}
        squares = []
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        targets = [bench.targets_of(part) for part in parts]
        if not all(targets):
            # a mean over no target is none
            continue
        for part, count in zip(parts, targets, strict=True):
            check()
            own = bench.gradient_of_mean(part)
            squares.append(_square(own))
            for name, value in own.items():
                share = value * (count / sum(targets))
                window[name] = window[name] + share if name in window else share
        yield Norms(size, tuple(squares), _square(window))


def _square(gradient: Gradient) -> float:
    return sum(float(torch.sum(value.double() ** 2)) for value in gradient.values())
