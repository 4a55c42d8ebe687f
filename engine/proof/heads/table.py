"""The table of heads: kept as JSON lines, and told in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from engine.errors import WORDING, ConfigError
from engine.figures import error_text
from engine.proof.heads.mapping import MAPPINGS
from engine.proof.heads.result import REASONS, HeadResult

TASK_NAMES = {
    "text-generation": "causal LM",
    "fill-mask": "masked LM",
    "token-classification": "token classification",
    "text2text-generation": "seq2seq LM",
    "text-classification": "sequence classification",
}

PARTS = (
    "built",
    "relative_error",
    "plain_relative_error",
    "mean_of_means_relative_error",
    "trainer_norm_ratio",
    "trainer_relative_error",
    "trainer_way",
    "exact",
    "trainer_exact",
    "reason",
    "detail",
)
"""The columns that a head has for each of its problem types."""


COLUMNS = ("head", "task", "ours", "means", "stock", "norm", "way", "notes")
"""Of what is printed, in order."""

HEAD, WAY = 48, 15
"""Widths of the longest names."""


def save(results: Iterable[HeadResult], path: Path) -> None:
    """One result a line, without its seconds and to four digits: the same heads give the same file."""
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            row = {
                name: float(f"{value:.4g}") if isinstance(value, float) else value
                for name, value in result.to_dict().items()
                if name != "seconds"
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def check(path: Path) -> None:
    """Raises ConfigError `heads.cannot-save` where `save` could not write, before the long work begins."""
    try:
        path.touch()
    except OSError as problem:
        raise ConfigError("heads.cannot-save", field="--save", path=path, reason=problem.strerror) from None


def load(path: Path) -> list[HeadResult]:
    """What `save` wrote."""
    return [HeadResult.from_dict(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def by_head(results: Iterable[HeadResult]) -> Iterator[list[HeadResult]]:
    """The results of each head together: several where its task has problem types."""
    for _, group in groupby(results, key=lambda result: (result.task, result.head)):
        yield list(group)


def merged(results: Sequence[HeadResult]) -> dict[str, Any]:
    """One head's columns: of several problem types the worst errors, and each type's own in `problem_types`.

    The stock Trainer's norm and way are those of the type in which it errs most.
    """
    first, *others = results
    row = first.to_dict()
    if not others:
        return row
    rows = {str(result.problem_type): result.to_dict() for result in results}
    faulty = next((result for result in results if result.reason), first)
    stock = max(
        results, key=lambda result: -1.0 if (error := _finite(result.trainer_relative_error)) is None else error
    )
    return {
        **row,
        "problem_type": None,
        "relative_error": _worst(results, "relative_error"),
        "plain_relative_error": _worst(results, "plain_relative_error"),
        **{name: stock.to_dict()[name] for name in ("trainer_norm_ratio", "trainer_relative_error", "trainer_way")},
        "mean_of_means_relative_error": _worst(results, "mean_of_means_relative_error"),
        **{name: all(each[name] for each in rows.values()) for name in ("built", "exact", "trainer_exact")},
        "reason": faulty.reason,
        "detail": faulty.detail,
        "seconds": round(sum(result.seconds for result in results), 2),
        "problem_types": {name: {part: each[part] for part in PARTS} for name, each in rows.items()},
    }


def totals(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many heads there are, were built, are exact by our accumulation and by the stock Trainer's."""
    rows = list(rows)
    counts = {name: sum(bool(row[name]) for row in rows) for name in ("built", "exact", "trainer_exact")}
    return {"heads": len(rows), **counts}


def header() -> str:
    """The names of the columns of `line`, which are those of `birikim prove` where both have them."""
    head, task, *errors, norm, way, notes = (WORDING[f"heads.column-{name}"].message for name in COLUMNS)
    return _laid_out(head, task, errors, norm, f"{way:<{WAY}}  {notes}")


def line(row: dict[str, Any]) -> str:
    """One head: how far each way is from the gradient of the model's own mean, and what is to be said of it."""
    errors = ("relative_error", "mean_of_means_relative_error", "trainer_relative_error")
    ratio = row["trainer_norm_ratio"]
    return _laid_out(
        row["head"],
        TASK_NAMES[row["task"]],
        ["–" if row[name] is None else error_text(row[name]) for name in errors],
        "–" if ratio is None else f"{ratio:.2f} ×",
        f"{row['trainer_way'] or '–':<{WAY}}  {'; '.join(_notes(row))}",
    )


def _laid_out(head: str, task: str, errors: Sequence[str], norm: str, rest: str) -> str:
    ours, means, stock = errors
    return f"{head:<{HEAD}}{task:<25}{ours:>12}{means:>16}{stock:>16}{norm:>12}  {rest}".rstrip()


def _notes(row: dict[str, Any]) -> Iterator[str]:
    if row["auxiliary_relative_error"] is not None:
        yield f"with its router's loss {error_text(row['auxiliary_relative_error'])}"
    if row["unreached"]:
        first, *others = row["unreached"]
        also = f" and {len(others)} more part" + "s" * (len(others) > 1) if others else ""
        yield f"text does not reach {first}{also}"
    if row["reason"]:
        yield REASONS[row["reason"]] + (f" ({row['detail']})" if row["detail"] else "")


def summary(rows: Iterable[dict[str, Any]]) -> list[str]:
    """A line a task, and one for all."""
    rows = list(rows)
    told = [(TASK_NAMES[task], [row for row in rows if row["task"] == task]) for task in MAPPINGS]
    return [_counted(name, some) for name, some in [*told, ("all", rows)] if some]


def _counted(name: str, rows: list[dict[str, Any]]) -> str:
    count = totals(rows)
    return (
        f"{name:<24} {count['built']:>3} of {count['heads']:>3} built, {count['exact']:>3} exact; "
        f"the stock Trainer in {count['trainer_exact']:>3}"
    )


def _worst(results: Sequence[HeadResult], column: str) -> float | None:
    found = (_finite(getattr(result, column)) for result in results)
    return max((value for value in found if value is not None), default=None)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
