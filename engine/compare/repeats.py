"""Runs that repeat each other but for their seeds: the spread of what they came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

from engine.compare.figures import Figures
from engine.compare.settings import alike_but_for_seeds, seeds_of
from engine.compare.side import Side

SPREAD = ("loss", "eval_loss", "throughput", "peak_bytes", "seconds")


def groups(sides: Sequence[Side], figures: Sequence[Figures]) -> list[dict[str, Any]]:
    """Of each two or more finished runs that differ in seeds alone: `runs`, and `values` by name.

    Of each value its `mean`, its standard `deviation` (over n - 1) and `n`. Runs of one seed are one draw: of them the
    last alone counts; an imported copy of one of them is none.
    """
    found = []
    for members in _alike(sides):
        by_seed = {seeds_of(sides[place].settings): place for place in members}
        if len(by_seed) > 1:
            drawn = [figures[place] for place in sorted(by_seed.values())]
            found.append({"runs": [each["run"] for each in drawn], "values": dict(_values(drawn))})
    return found


def twins(sides: Sequence[Side]) -> list[list[Side]]:
    """Finished runs of the same settings and the same seeds, two or more together."""
    found: list[list[Side]] = []
    for members in _alike(sides):
        by_seed: dict[Any, list[Side]] = {}
        for place in members:
            by_seed.setdefault(seeds_of(sides[place].settings), []).append(sides[place])
        found += [same for same in by_seed.values() if len(same) > 1]
    return found


def copies(sides: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Imported runs that tell of the same training as another of `sides`, each with that one.

    A file keeps the moments at which a run was made and began, and these are of one run alone.
    """
    originals: dict[Any, Side] = {}
    found = []
    for side in sorted(sides, key=lambda side: (side.imported, side.id)):
        original = originals.setdefault((side.run.created, side.run.started), side)
        if side.imported and original is not side:
            found.append((side, original))
    return found


def _alike(sides: Sequence[Side]) -> list[list[int]]:
    """The places of finished runs, together where they differ in seeds alone; a copy is no run of its own."""
    found: list[list[int]] = []
    copied = {copy.id for copy, _ in copies(sides)}
    for place, side in enumerate(sides):
        if not side.finished or side.id in copied:
            continue
        for members in found:
            if alike_but_for_seeds(sides[members[0]].settings, side.settings):
                members.append(place)
                break
        else:
            found.append([place])
    return found


def _values(drawn: Sequence[Figures]) -> Iterator[tuple[str, dict[str, Any]]]:
    metrics = dict.fromkeys(name for each in drawn for name in each["eval_metrics"])
    for name in (*SPREAD, *metrics):
        source = [each["eval_metrics"].get(name) if name in metrics else each[name] for each in drawn]
        values = [value for value in source if value is not None]
        if len(values) > 1:
            yield name, {"mean": fmean(values), "deviation": stdev(values), "n": len(values)}
