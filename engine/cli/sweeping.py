"""`birikim sweep`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.common import FAILED, ConfigFile, Home, Json, Overrides, Pickle, RemoteCode, opened, told, trusted
from engine.errors import one_line


def sweep(
    config: ConfigFile,
    home: Home = None,
    overrides: Overrides = None,
    as_json: Json = False,
    worker: Annotated[bool, typer.Option("--worker", help="Joins others that are at work on it.")] = False,
    study: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is called. Default: by CONFIG's name and what it says.")
    ] = None,
    storage: Annotated[
        str | None, typer.Option(metavar="URL", help="A database that machines share. Default: in the home folder.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="QUESTION",
            help="learning-rate, cost or effective-batch: a ready question, in place of what stands under sweep.",
        ),
    ] = None,
    remote_code: RemoteCode = False,
    pickle: Pickle = False,
) -> None:
    """Tries what stands under `sweep` in CONFIG, or a ready question, run by run.

    The same command goes on where it was left or killed.
    """
    with told():
        chosen = trusted(config, overrides, remote_code=remote_code, pickle=pickle)
        from engine.config import SweepSpec
        from engine.sweep.presets import preset

        given = overrides or ()
        spec = SweepSpec.load(config, given) if question is None else preset(chosen, question, given)
        from engine.console import standard_output_kept
        from engine.session import Session
        from engine.sweep import Sweeps
        from engine.sweep.naming import study_name
        from engine.sweeping import sweep_here

        name = study or study_name(config.stem, chosen, spec)
        with opened(home) as store, standard_output_kept(as_json) as output:
            session = Session(store)
            sweeps = Sweeps(session, store, storage=storage, own_code=True)
            try:
                state = sweep_here(
                    sweeps, chosen, spec, name, output, joins=worker, as_json=as_json, begun=session.start
                )
            finally:
                sweeps.close()
                session.close()
    if fault := state["fault"]:
        print(f"birikim: {one_line(fault['message'], fault['remedy'], None)}", file=sys.stderr)
        raise typer.Exit(FAILED)
    if state["state"] == "done" and state["best"] is None:
        raise typer.Exit(FAILED)
