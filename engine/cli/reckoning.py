"""What trains nothing: `birikim prove`, `memory`, `fit` and `heads`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from engine.cli.common import ConfigFile, Home, Json, Overrides, Pickle, RemoteCode, checked, told
from engine.config import default_home
from engine.errors import ConfigError

Device = Literal["cpu", "cuda", "mps"]


def prove(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    fp64: Annotated[
        bool, typer.Option("--fp64", help="In double precision, where rounding can't hide a fault.")
    ] = False,
    plans: Annotated[bool, typer.Option("--plans", help="Every other plan of the same effective batch too.")] = False,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Proves on one window of CONFIG that its accumulated gradient is that of the large batch. Trains nothing.

    Where CONFIG asks for several processes, it is one process with the micro-batches of all: the same effective batch.
    """
    with told():
        chosen = checked(config, overrides, remote_code=remote_code, pickle=pickle)
        from engine.proving import prove_here

        prove_here(chosen, home or default_home(), precision="fp64" if fp64 else "fp32", plans=plans, as_json=as_json)


def memory(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    measure: Annotated[bool, typer.Option("--measure", help="Runs one real window too, and trains nothing.")] = False,
    device: Annotated[
        Device | None, typer.Option(help="What to reckon for. Default: what this machine would train on.")
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Tells what one window of CONFIG takes at its peak, and of what. Loads no weights unless it measures.

    Of several processes each holds as much, on a device of its own.
    """
    with told():
        chosen = checked(config, overrides, remote_code=remote_code, pickle=pickle)
        from engine.accounting import account_here

        account_here(chosen, home or default_home(), device=device, measured=measure, as_json=as_json)


def fit(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    effective: Annotated[
        int | None, typer.Option(min=1, max=2**31 - 1, help="Examples an update. Default: CONFIG's.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="SIZE", help="8GiB, or a card such as rtx-4090. Default: what is free here.")
    ] = None,
    trial: Annotated[
        bool | None, typer.Option("--trial/--no-trial", help="Try one real step here. Default: without --budget.")
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Finds the largest micro-batch that fits into a budget, and the steps that keep the effective batch.

    Of several processes each has a device of its own: the budget is of one, the effective batch of all together.
    """
    with told():
        chosen = checked(config, overrides, remote_code=remote_code, pickle=pickle)
        from engine.fitting import fit_here

        fit_here(chosen, home or default_home(), effective=effective, budget=budget, trial=trial, as_json=as_json)


def heads(
    task: Annotated[str | None, typer.Option(help="Only heads of this task, a Hub pipeline name.")] = None,
    name: Annotated[str | None, typer.Option(metavar="PATTERN", help="Only model classes such as Bert*.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Keeps the table as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Proves the accumulated gradient of every architecture of transformers, each built tiny with random weights."""
    with told():
        from engine.console import print_json
        from engine.proof.heads import matching, prove_heads, table

        only = matching(task=task, name=name)
        if save is not None:
            table.check(save)
        proved, rows = [], []
        for results in table.by_head(prove_heads(only=only)):
            row = table.merged(results)
            proved += results
            rows.append(row)
            if as_json:
                print_json(row)
            else:
                if len(rows) == 1:
                    print(table.header())
                print(table.line(row), flush=True)
        if not rows:
            raise ConfigError("heads.none", name=name)
        if save is not None:
            table.save(proved, save)
        if as_json:
            print_json(table.totals(rows))
        else:
            print(*table.summary(rows), sep="\n")
