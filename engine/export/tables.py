"""The metrics of a run as one table: a row an update, and beside it the evaluation that came after it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from engine.store import Run, Store

UPDATE = (
    "update", "epoch", "loss", "grad_norm", "learning_rate", "examples", "targets", "micro_batches", "padding",
    "duration", "seconds", "total_examples", "total_targets", "memory", "total_tokens",
)  # fmt: skip
WHOLE = frozenset(
    {"update", "examples", "targets", "micro_batches", "total_examples", "total_targets", "memory", "total_tokens"}
)

Row = dict[str, float | int | None]


def rows_of(store: Store, run: int) -> list[Row]:
    """The updates in order, each with `eval_loss` and `eval_` metrics where it was evaluated; all rows alike.

    An evaluation before the first update has a row of its own, of update 0.
    """
    evaluations = {each["update"]: _evaluated(each) for each in store.evaluations(run)}
    metrics = sorted(
        {name for found in evaluations.values() for name in found}, key=lambda name: (name != "eval_loss", name)
    )
    updates = {each["update"]: each for each in store.updates(run)}
    return [
        {
            **{name: updates.get(number, {"update": number}).get(name) for name in UPDATE},
            **{name: evaluations.get(number, {}).get(name) for name in metrics},
        }
        for number in sorted({*updates, *evaluations})
    ]


def write_csv(store: Store, run: Run, path: Path) -> None:
    """UTF-8, a line of names first; what there is not is empty. Numbers are whole: they read back as they were."""
    rows = rows_of(store, run.id)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names_of(rows))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(store: Store, run: Run, path: Path) -> None:
    """The same table in columns, whole numbers as int64 and others as double; the config is in the file's metadata."""
    import json

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    rows = rows_of(store, run.id)
    schema = pa.schema(
        [(name, pa.int64() if name in WHOLE else pa.float64()) for name in names_of(rows)],
        metadata={"birikim": json.dumps({"run": run.id, "config": run.config})},
    )
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), path)


def names_of(rows: list[Row]) -> list[str]:
    return list(rows[0]) if rows else list(UPDATE)


def _evaluated(evaluation: dict[str, Any]) -> dict[str, Any]:
    return {"eval_loss": evaluation["loss"], **{f"eval_{name}": value for name, value in evaluation["metrics"].items()}}
