"""What makes a comparison unfair, or says how far it can be trusted: sentences by code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.compare.figures import Figures, data_of
from engine.compare.repeats import copies, twins
from engine.compare.settings import in_force, seeds_of
from engine.compare.side import Side
from engine.errors import WORDING
from engine.figures import error_text
from engine.store import Reading

OF_TOKENS = frozenset({"text-generation", "fill-mask", "text2text-generation"})
"""Tasks whose loss is a mean over tokens, as the model cuts them."""

OF_A_LOSS = ("loss", "trainer", "training.label_smoothing_factor")
"""Keys that change what is minimised."""

OF_DATA = ("name", "path", "hub", "config", "split", "text", "label", "messages", "prompt", "completion", "max_length")
"""Keys of `data` that say what the rows are."""

HALVED = ("run.halved", "run.halved-tokens", "run.halved-uneven")
NOT_TOLD = "–"

Told = tuple[str, dict[str, Any]]


def marks(store: Reading, sides: Sequence[Side], figures: Sequence[Figures]) -> list[dict[str, Any]]:
    """Of each its `code`, `message`, `remedy` and `values`, the weightiest first."""
    told = [*_of_losses(sides), *_of_places(sides), *_of_runs(store, sides, figures), *_of_twins(sides)]
    return [
        {
            "code": code,
            "message": WORDING[code].message.format(**values),
            "remedy": WORDING[code].remedy.format(**values),
            "values": values,
        }
        for code, values in told
    ]


def _of_losses(sides: Sequence[Side]) -> Iterator[Told]:
    """Whether the losses are of one kind."""

    def of_data(side: Side) -> tuple[Any, ...]:
        return tuple(in_force(side.settings, f"data.{key}") for key in OF_DATA)

    def of_loss(side: Side) -> dict[str, Any]:
        return {key: in_force(side.settings, key) for key in OF_A_LOSS}

    yield from _apart("compare.task", sides, lambda side: side.run.config.get("task"))
    yield from _apart("compare.data", sides, of_data, data_of)
    same_rows = len({of_data(side) for side in sides}) == 1
    if same_rows:
        yield from _other_rows(sides)
    if all(side.run.config.get("task") in OF_TOKENS for side in sides):
        yield from _apart("compare.cut", sides, lambda side: side.run.config.get("model"))
    yield from _apart("compare.averaged", sides, lambda side: in_force(side.settings, "loss_normalization"))
    losses = [of_loss(side) for side in sides]
    changed = [key for key in OF_A_LOSS if any(each[key] != losses[0][key] for each in losses)]
    if changed:
        yield from _apart("compare.minimised", sides, of_loss, lambda side: _named(of_loss(side), changed))
    yield from _apart("compare.batch", sides, lambda side: side.effective_batch)


def _other_rows(sides: Sequence[Side]) -> Iterator[Told]:
    """Rows that were others although the settings name the same: known of one model and one seed, by their digests."""
    first = sides[0]
    alike = [side for side in sides if _reads_alike(side, first)]
    yield from _apart("compare.rows", alike, lambda side: side.facts.get("data_digest"), lambda side: None)
    evaluated = [side for side in sides if side.column("evaluations", "update")]
    same_model = [side for side in evaluated if side.run.config.get("model") == first.run.config.get("model")]
    held_out = lambda side: side.facts.get("evaluation_digest")  # noqa: E731
    yield from _apart("compare.held-out", same_model, held_out, lambda side: None)


def _reads_alike(side: Side, other: Side) -> bool:
    return all(
        one == another
        for one, another in (
            (seeds_of(side.settings), seeds_of(other.settings)),
            *((side.run.config.get(key), other.run.config.get(key)) for key in ("model", "task")),
        )
    )


def _of_places(sides: Sequence[Side]) -> Iterator[Told]:
    """Where the runs were made, and by what."""
    planned = [side for side in sides if side.run.facts]
    yield from _apart("compare.device", planned, lambda side: side.facts.get("device"))
    noted = [side for side in planned if side.facts.get("machine")]
    yield from _apart("compare.machine", noted, lambda side: _listed(side.facts["machine"].values()))
    if 0 < len(noted) < len(planned):
        yield "compare.machine-unknown", {"runs": _ids([side for side in planned if side not in noted])}
    on_cpu = [side for side in planned if side.facts.get("device") == "CPU"]
    yield from _apart("compare.threads", on_cpu, lambda side: side.facts.get("threads"))
    versions: list[dict[str, Any]] = [side.facts.get("versions") or {} for side in planned]
    changed = [
        name
        for name in dict.fromkeys(name for each in versions for name in each)
        if any(each.get(name) != versions[0].get(name) for each in versions)
    ]
    if changed:
        told = lambda side: _named(side.facts.get("versions") or {}, changed)  # noqa: E731
        yield from _apart("compare.versions", planned, told)


def _of_runs(store: Reading, sides: Sequence[Side], figures: Sequence[Figures]) -> Iterator[Told]:
    """What is special about single runs."""
    short = {each["run"] for each in figures if each["throughput"] is None}
    for code, found in (
        ("compare.unfinished", [side for side in sides if not side.finished]),
        ("compare.watched", [side for side in sides if _was_watched(store, side)]),
        ("compare.resumed", [side for side in sides if side.noticed("run.resumed")]),
        ("compare.halved", [side for side in sides if side.noticed(*HALVED)]),
        ("compare.short", [side for side in sides if side.id in short and side.run.update]),
        ("compare.no-tokens", [side for side in sides if None in side.column("updates", "total_tokens")]),
    ):
        if found:
            yield code, {"runs": _ids(found)}


def _was_watched(store: Reading, side: Side) -> bool:
    found = store.watched(side.id)
    return any(found[name] for name in ("micro_batches", "windows", "replays"))


def _of_twins(sides: Sequence[Side]) -> Iterator[Told]:
    """Whether the same settings with the same seed gave the same losses, bit for bit; a copy is no proof of it."""
    for copy, original in copies(sides):
        yield "compare.copy", {"run": copy.id, "original": original.id}
    for same in twins(sides):
        losses = [
            dict(zip(side.column("updates", "update"), side.column("updates", "loss"), strict=True)) for side in same
        ]
        first, *others = losses
        common = [key for key in first if all(key in each for each in others)]
        apart = max((_apart_by(first[key], each[key]) for key in common for each in others), default=0.0)
        if apart:
            yield "compare.not-repeated", {"runs": _ids(same), "apart": error_text(apart)}
        else:
            yield "compare.repeated", {"runs": _ids(same)}


def _apart_by(one: float | None, other: float | None) -> float:
    """Of two losses, relative to the first; one that is none is beyond all bounds from one that is."""
    if one == other:
        return 0.0
    return float("inf") if one is None or other is None else abs(one - other) / max(abs(one), 1e-30)


def _apart(
    code: str, sides: Sequence[Side], value: Callable[[Side], Any], said: Callable[[Side], Any] | None = None
) -> Iterator[Told]:
    """`code` where the runs have several values; `where` says which run has which: “3, 5: CPU · 9: NVIDIA H200”.

    With `said` that is told in place of the value; where it is None the runs alone are told.
    """
    found: dict[str, list[Side]] = {}
    for side in sides:
        found.setdefault(repr(value(side)), []).append(side)
    if len(found) > 1:
        parts = [(_ids(each), (said or value)(each[0])) for each in found.values()]
        alone = said is not None and all(what is None for _, what in parts)
        where = " · ".join(ids if alone else f"{ids}: {NOT_TOLD if what is None else what}" for ids, what in parts)
        yield code, {"where": where}


def _ids(sides: Sequence[Side]) -> str:
    return ", ".join(str(side.id) for side in sides)


def _named(values: dict[str, Any], names: Sequence[str]) -> str:
    return _listed(f"{name} {NOT_TOLD if values.get(name) is None else values[name]}" for name in names)


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
