"""What all commands have in common: their options, and how an error is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.config import RunConfig, default_home
from engine.errors import BirikimError
from engine.trust import Trust, trust

if TYPE_CHECKING:
    from engine.store import Store

WRONG, FAILED = 2, 1

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file.")]
Home = Annotated[Path | None, typer.Option(help="The folder of runs. Default: BIRIKIM_HOME, else ~/.birikim.")]
Overrides = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Overrides a config key.")]
RemoteCode = Annotated[bool, typer.Option("--trust-remote-code", help="Runs Python code that the model brings along.")]
Pickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Reads weights that are no safetensors: may run code too.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, the last one the result.")]


@contextmanager
def told() -> Iterator[None]:
    """An error as one line on standard error; exit status 2, or 1 for one that is none of ours."""
    try:
        yield
    except BirikimError as error:
        print(f"birikim: {error.line}", file=sys.stderr)
        raise typer.Exit(WRONG) from None
    except typer.Exit:
        raise
    except Exception as problem:
        from engine.session.failure import told_here

        print(f"birikim: {told_here(problem).line}", file=sys.stderr)
        raise typer.Exit(FAILED) from None


def trusted(config: Path, overrides: list[str] | None, *, remote_code: bool, pickle: bool) -> RunConfig:
    """The config of a file with its overrides, by who may have their files run as this command allows.

    Raises ConfigError.
    """
    trust(Trust(remote_code, pickle))
    return RunConfig.load(config, overrides or ())


def checked(config: Path, overrides: list[str] | None, *, remote_code: bool, pickle: bool) -> RunConfig:
    """As `trusted`, once it has been looked at as a session does before a start."""
    chosen = trusted(config, overrides, remote_code=remote_code, pickle=pickle)
    from engine.checks import check

    check(chosen, own_code=True)
    return chosen


@contextmanager
def opened(home: Path | None) -> Iterator[Store]:
    """The store of the home folder, closed afterwards."""
    from engine.store import Store

    store = Store(home or default_home())
    try:
        yield store
    finally:
        store.close()
