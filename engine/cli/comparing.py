"""`birikim compare`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from engine.cli.common import Home, Json, opened, told


def compare(
    runs: Annotated[list[int], typer.Argument(metavar="RUN...", help="Their numbers, as `birikim runs` lists them.")],
    metric: Annotated[Literal["loss", "eval_loss"], typer.Option(help="The loss that --below is about.")] = "loss",
    below: Annotated[float | None, typer.Option(help="Tells when each run was at or under this loss.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Sets runs side by side: their figures, their settings where they differ, and whether it is a fair comparison."""
    with told():
        from engine.compare import compare as side_by_side
        from engine.compare.telling import lines_of
        from engine.console import print_json

        with opened(home) as store:
            found = side_by_side(store, runs, metric=metric, below=below)
        if as_json:
            print_json({name: value for name, value in found.items() if name != "curves"})
        else:
            print(*lines_of(found), sep="\n")
