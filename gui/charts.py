"""What each chart shows: one table that the live page draws from.

A chart has one panel or two stacked ones that share the x-axis. A trace names the table and column of
`Store.read` that it draws, and the colour token of its meaning: one meaning has one colour everywhere.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

X_AXES: tuple[str, ...] = ("update", "total_examples", "total_targets", "seconds")

Ticks = Literal["number", "count", "rate", "share"]


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One line. `name` and `colour` are keys of the wording (`trace.…`) and of the style sheet (`--…`).

    `digits` is a d3 format of the values in the hover label. A `smooth` trace is a running average of the
    trace before it; it is drawn on demand. `shape` is Plotly's: `hv` holds a value until the next update.
    A `symbol` now and then along a line tells it from the others of its panel without its colour.
    """

    name: str
    table: Literal["updates", "evaluations", "memory"]
    column: str
    colour: str
    digits: str
    panel: int = 0
    markers: bool = False
    smooth: bool = False
    shape: Literal["linear", "hv"] = "linear"
    symbol: Literal["square", "diamond"] | None = None


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart, by the end of its element id (`chart-loss`). `units` names each panel's y-axis (`axis.…`).

    `log` charts follow the log switch. `bytes` charts choose MiB or GiB by their values. `ticks` says how
    large and small values are written on each panel's y-axis: a count as 20k, a share in per cent, a rate and any other
    number by powers of ten.
    """

    name: str
    units: tuple[str, ...]
    traces: tuple[Trace, ...]
    log: bool = False
    bytes: bool = False
    from_zero: bool = False
    ticks: tuple[Ticks, ...] = ("number",)


CHARTS: tuple[Chart, ...] = (
    Chart(
        name="loss",
        units=("loss",),
        log=True,
        traces=(
            Trace(name="training", table="updates", column="loss", colour="training", digits=".4f"),
            Trace(
                name="evaluation", table="evaluations", column="loss", colour="evaluation", digits=".4f", markers=True
            ),
            Trace(name="smoothed", table="updates", column="loss", colour="training", digits=".4f", smooth=True),
        ),
    ),
    Chart(
        name="memory",
        units=("bytes",),
        bytes=True,
        from_zero=True,
        traces=(
            Trace(name="allocated", table="memory", column="allocated", colour="allocated", digits=".2f"),
            Trace(name="reserved", table="memory", column="reserved", colour="reserved", digits=".2f", symbol="square"),
            Trace(
                name="device_used",
                table="memory",
                column="device_used",
                colour="device-used",
                digits=".2f",
                symbol="diamond",
            ),
            Trace(name="resident", table="memory", column="resident", colour="resident", digits=".2f"),
        ),
    ),
    Chart(
        name="batch",
        units=("examples", "targets"),
        from_zero=True,
        ticks=("count", "count"),
        traces=(
            Trace(name="examples", table="updates", column="examples", colour="examples", digits=",d", shape="hv"),
            Trace(
                name="targets", table="updates", column="targets", colour="targets", digits=",d", panel=1, shape="hv"
            ),
        ),
    ),
    Chart(
        name="throughput",
        units=("throughput", "padding"),
        from_zero=True,
        ticks=("count", "share"),
        traces=(
            Trace(name="throughput", table="updates", column="throughput", colour="targets", digits=",.3~r"),
            Trace(name="padding", table="updates", column="padding", colour="padding", digits=".1%", panel=1),
        ),
    ),
    Chart(
        name="grad-norm",
        units=("grad_norm",),
        log=True,
        traces=(Trace(name="grad_norm", table="updates", column="grad_norm", colour="training", digits=".4g"),),
    ),
    Chart(
        name="learning-rate",
        units=("learning_rate",),
        from_zero=True,
        ticks=("rate",),
        traces=(
            Trace(name="learning_rate", table="updates", column="learning_rate", colour="training", digits=".3~e"),
        ),
    ),
)


def for_page() -> list[dict[str, Any]]:
    """The table as plain data, ready for JSON."""
    return [asdict(chart) for chart in CHARTS]
